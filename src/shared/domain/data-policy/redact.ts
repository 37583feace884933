import { isInlineReference, REFERENCE_KEY } from '../artifact-reference.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { DataPolicy, Detector } from './data-policy.ts';
import { replaceDetected } from './detect.ts';

/** A keyed hash; null where there is no key: then what would be hashed is masked. */
export type Pseudonym = ((text: string) => string) | null;

export const MASK = '***';

/** A value as readers see it. */
export function redact(value: JsonValue, policy: DataPolicy, pseudonym: Pseudonym): JsonValue {
  const { piiFields, detectors } = policy;
  if (piiFields.patterns.length === 0 && detectors.length === 0) return value;
  return walk(value, [], { policy, pseudonym });
}

export function redactObject(
  value: JsonObject,
  policy: DataPolicy,
  pseudonym: Pseudonym,
): JsonObject {
  return redact(value, policy, pseudonym) as JsonObject;
}

interface Way {
  readonly policy: DataPolicy;
  readonly pseudonym: Pseudonym;
}

function walk(value: JsonValue, path: readonly string[], way: Way): JsonValue {
  if (typeof value === 'string') return redactText(value, way);
  if (isInlineReference(value)) return hideReference(value);
  if (isJsonObject(value)) {
    const members = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
      const at = [...path, key];
      if (!way.policy.piiFields.matches(at)) {
        return [[key, walk(member, at, way)]];
      }
      return way.policy.action === 'remove' ? [] : [[key, hide(member, way)]];
    });
    return Object.fromEntries(members);
  }
  // Positions are no part of a path: a pattern names fields.
  return Array.isArray(value) ? value.map((item: JsonValue) => walk(item, path, way)) : value;
}

/** To a value that is kept elsewhere, and not masked there: who has its hash could read it. */
function hideReference({ size = null, content_type = null }: JsonObject): JsonObject {
  return { [REFERENCE_KEY]: MASK, size, content_type, inline: true };
}

function hide(value: JsonValue, { policy, pseudonym }: Way): JsonValue {
  if (value === null) return null;
  if (policy.action !== 'hash' || pseudonym === null) return MASK;
  return pseudonym(typeof value === 'string' ? value : JSON.stringify(value));
}

function redactText(text: string, { policy, pseudonym }: Way): string {
  if (policy.detectors.length === 0) return text;
  return replaceDetected(text, policy.detectors, (found: string, detector: Detector) => {
    if (policy.action === 'remove') return '';
    if (policy.action === 'hash' && pseudonym !== null) return pseudonym(found);
    return `[${detector}]`;
  });
}
