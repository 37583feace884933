/** A provider that says `0` and refuses again would be asked as fast as it can refuse. */
const RETRY_AFTER_MS_MIN = 1000;
/**
 * Longer waits are cut: after a request to wait for a day, an earlier retry may find a raised
 * limit.
 */
const RETRY_AFTER_MS_MAX = 3_600_000;

/**
 * When a provider that refused a call for its rate wants to be asked again, in milliseconds from
 * `now`; null when it does not say. `Retry-After` holds seconds or a date (RFC 9110, 10.2.3);
 * without it, the limits that are used up say when they are full again.
 */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const found =
    readNumber(headers.get('retry-after-ms'), 1) ??
    readNumber(headers.get('retry-after'), 1000) ??
    readDate(headers.get('retry-after'), now) ??
    readResets(headers, now);
  return found === null
    ? null
    : Math.min(Math.max(Math.ceil(found), RETRY_AFTER_MS_MIN), RETRY_AFTER_MS_MAX);
}

/** A span as Go writes it (`1m30.5s`, `250ms`), in milliseconds; null: no such span. */
export function readSpan(text: string | null): number | null {
  if (text === null || !/^(\d+(\.\d+)?(ms|[hms]))+$/.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)) {
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return sum;
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

function readNumber(text: string | null, unitMs: number): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * unitMs : null;
}

function readDate(text: string | null, now: number): number | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at - now;
}

/** The latest of those limits that have nothing left. */
function readResets(headers: Headers, now: number): number | null {
  const waits = LIMITS.map(({ remaining, reset }) => {
    if (headers.get(remaining) !== '0') return null;
    const value = headers.get(reset);
    return readSpan(value) ?? readNumber(value, 1000) ?? readDate(value, now);
  }).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

const LIMITS = [
  ...['requests', 'tokens'].map((of) => ({
    remaining: `x-ratelimit-remaining-${of}`,
    reset: `x-ratelimit-reset-${of}`,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((of) => ({
    remaining: `anthropic-ratelimit-${of}-remaining`,
    reset: `anthropic-ratelimit-${of}-reset`,
  })),
];
