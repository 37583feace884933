import type { JsonValue } from './json.ts';

/**
 * The reason why JSON from outside cannot become part of events and state unchanged; null: it can.
 * As in API requests, it refuses rounded numbers, keys that reach a prototype, text that the stores
 * keep differently, and nesting deeper than 64.
 */
export function findKeepProblem(value: JsonValue): string | null {
  return findProblem(value, DEPTH_MAX);
}

function findProblem(value: JsonValue, depthLeft: number): string | null {
  if (typeof value === 'string') return findTextProblem(value);
  if (typeof value === 'number') {
    // 2^53 itself is refused too: 2^53 + 1 reads as the same number.
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? null : 'a number beyond ±(2^53 − 1)';
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depthLeft === 0) return `nesting deeper than ${DEPTH_MAX}`;
  for (const [key, member] of Object.entries(value)) {
    const problem = findKeyProblem(key) ?? findProblem(member, depthLeft - 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** Why a key cannot stand in events and state; null: it can. */
export function findKeyProblem(key: string): string | null {
  if (['__proto__', 'constructor', 'prototype'].includes(key)) return `the key ${key}`;
  if (key.length * 3 > KEY_BYTES_MAX && Buffer.byteLength(key) > KEY_BYTES_MAX) {
    return `a key longer than ${KEY_BYTES_MAX} bytes`;
  }
  return findTextProblem(key);
}

function findTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'the character U+0000';
  return text.isWellFormed() ? null : 'a lone surrogate';
}

const DEPTH_MAX = 64;
const KEY_BYTES_MAX = 512;
