import type { JsonValue } from '../../json.ts';

/** Ten years: longer waits are slips of the unit. */
export const DURATION_MS_MAX = 10 * 365 * 24 * 3_600_000;

const TEXT = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The format of a duration, for messages. */
export const DURATION_FORMS = 'seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"';

/**
 * Milliseconds of a duration: seconds as a number, or text like `"500ms"`, `"2s"`, `"5m"`, `"1h"`,
 * `"7d"`. Null for anything else, negative durations, and more than ten years.
 */
export function parseDuration(value: JsonValue): number | null {
  const ms = typeof value === 'number' ? value * 1_000 : textMs(value);
  if (ms === null || !Number.isFinite(ms) || ms < 0 || ms > DURATION_MS_MAX) return null;
  return Math.round(ms);
}

function textMs(value: JsonValue): number | null {
  const match = typeof value === 'string' ? TEXT.exec(value.trim()) : null;
  if (match === null) return null;
  const [, amount = '', unit = ''] = match;
  return Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
}
