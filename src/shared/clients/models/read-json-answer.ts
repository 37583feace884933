import { isJsonObject, type JsonValue } from '../../domain/json.ts';

/**
 * The JSON a model wrote, or undefined. It goes into events and state, so it is held to what those
 * take: no keys that reach a prototype, no numbers that were rounded, bounded nesting, and text that
 * both stores keep alike. Some models put JSON between fences, whatever they are told.
 */
export function readJsonAnswer(text: string): JsonValue | undefined {
  const [, fenced] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/i.exec(text) ?? [];
  let value: JsonValue;
  try {
    value = JSON.parse(fenced ?? text) as JsonValue;
  } catch {
    return undefined;
  }
  return isKeepable(value, DEPTH_MAX) ? value : undefined;
}

/** Text as both stores keep it: without U+0000, and with lone surrogates replaced. */
export function keepableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** The answer stands some levels deep in an output, which has a bound of 64. */
const DEPTH_MAX = 48;

function isKeepable(value: JsonValue, depthLeft: number): boolean {
  if (typeof value === 'string') return isKeepableText(value);
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (Array.isArray(value)) {
    return depthLeft > 0 && value.every((item: JsonValue) => isKeepable(item, depthLeft - 1));
  }
  if (!isJsonObject(value)) return true;
  return (
    depthLeft > 0 &&
    Object.entries(value).every(
      ([key, item]) => isKeepableKey(key) && isKeepable(item, depthLeft - 1),
    )
  );
}

function isKeepableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function isKeepableKey(key: string): boolean {
  return !['__proto__', 'constructor', 'prototype'].includes(key) && isKeepableText(key);
}
