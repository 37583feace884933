/**
 * When to come again, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). Null: the answer
 * doesn't say.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Za-z]{3}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
