import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { ProblemList } from '../problem.ts';
import { pointerTo } from '../problem.ts';

const DEPTH_MAX = 64;
const KEY_BYTES_MAX = 512;
/** 2^53 itself is not among them: 2^53 + 1 reads as the same number. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Checks what no part of a definition may hold: text the stores cannot keep alike, keys that would
 * reach a prototype, and numbers that would be rounded where nodes could copy them into state.
 *
 * False when the value is no JSON or nested too deeply to be read further.
 */
export function checkJson(value: unknown, problems: ProblemList): value is JsonValue {
  return check(value, [], problems);
}

type Path = (string | number)[];

function check(value: unknown, path: Path, problems: ProblemList): boolean {
  switch (typeof value) {
    case 'string':
      checkText(value, path, problems);
      return true;
    case 'number':
      return checkNumber(value, path, problems);
    case 'boolean':
      return true;
    case 'object':
      break;
    default:
      problems.add(pointerTo(...path), `${typeof value} is not JSON`);
      return false;
  }
  if (value === null) return true;
  if (path.length >= DEPTH_MAX) {
    problems.add(pointerTo(...path), `nested deeper than ${DEPTH_MAX}`);
    return false;
  }
  if (Array.isArray(value)) return checkList(value, path, problems);
  return isJsonObject(value) && checkObject(value, path, problems);
}

function checkList(list: readonly unknown[], path: Path, problems: ProblemList): boolean {
  for (let index = 0; index < list.length; index += 1) {
    path.push(index);
    const readable = check(list[index], path, problems);
    path.pop();
    if (!readable) return false;
  }
  return true;
}

function checkObject(object: JsonObject, path: Path, problems: ProblemList): boolean {
  for (const key of Object.keys(object)) {
    path.push(key);
    checkKey(key, path, problems);
    const readable = check(object[key], path, problems);
    path.pop();
    if (!readable) return false;
  }
  return true;
}

function checkKey(key: string, path: Path, problems: ProblemList): void {
  checkText(key, path, problems);
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    problems.add(pointerTo(...path), `the name ${key} is not allowed`);
  }
  if (key.length * 3 > KEY_BYTES_MAX && Buffer.byteLength(key) > KEY_BYTES_MAX) {
    problems.add(pointerTo(...path), `the name is longer than ${KEY_BYTES_MAX} bytes`);
  }
}

function checkText(text: string, path: Path, problems: ProblemList): void {
  if (text.includes('\0')) problems.add(pointerTo(...path), 'holds the character U+0000');
  if (!text.isWellFormed()) problems.add(pointerTo(...path), 'holds a lone surrogate');
}

function checkNumber(value: number, path: Path, problems: ProblemList): boolean {
  if (!Number.isFinite(value)) {
    problems.add(pointerTo(...path), `${value} is not JSON`);
    return false;
  }
  if (path[0] === 'nodes' && Math.abs(value) > NUMBER_MAX) {
    problems.add(pointerTo(...path), 'a number outside ±(2^53 − 1)');
  }
  return true;
}
