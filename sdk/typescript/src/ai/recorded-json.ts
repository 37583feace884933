import { Buffer } from 'node:buffer';

/* Results of models have dates, bytes and URLs, which JSON lacks: recorded as `{ $svc, value }`. */

export function toRecorded(value: unknown): unknown {
  if (value instanceof Date) return { $svc: 'date', value: value.toISOString() };
  if (value instanceof URL) return { $svc: 'url', value: value.href };
  if (value instanceof Uint8Array) {
    return { $svc: 'bytes', value: Buffer.from(value).toString('base64') };
  }
  return mapMembers(value, toRecorded);
}

export function fromRecorded(value: unknown): unknown {
  if (!isTagged(value)) return mapMembers(value, fromRecorded);
  switch (value.$svc) {
    case 'date':
      return new Date(value.value);
    case 'url':
      return new URL(value.value);
    case 'bytes':
      return new Uint8Array(Buffer.from(value.value, 'base64'));
    default:
      return value;
  }
}

interface Tagged {
  readonly $svc: string;
  readonly value: string;
}

function isTagged(value: unknown): value is Tagged {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$svc' in value &&
    typeof value.$svc === 'string' &&
    'value' in value &&
    typeof value.value === 'string'
  );
}

function mapMembers(value: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => map(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]));
}
