import { instantOf } from '../../instant.ts';

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Reads an ISO 8601 instant with `Z` or an offset, or a date, which means its first moment in UTC.
 * Returns it in UTC with milliseconds, or null. A time without an offset is refused, because it
 * would mean another instant on every machine.
 */
export function parseInstant(text: string): string | null {
  const [, year, month, day] = INSTANT.exec(text) ?? [];
  const ms = Date.parse(text);
  if (day === undefined || Number.isNaN(ms)) return null;
  // Date.parse takes 30 February for 2 March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCDate() !== Number(day)) return null;
  return instantOf(ms);
}
