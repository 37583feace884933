import { hash } from 'node:crypto';

import type { JsonValue } from './json.ts';

/**
 * JSON with object keys in code-unit order and no white space (the ordering of RFC 8785), so that
 * equal values give equal text. Callers bound the depth before they get here.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256, in hex, of the canonical JSON: equal values have equal hashes. */
export function hashJson(value: JsonValue): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
