/** Milliseconds, or text such as `500ms`, `30s`, `5m`, `2h`, `7d` or `1h30m`. */
export type Duration = number | string;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/**
 * Milliseconds of a duration; `name` of the option is for the message. `Infinity` stays what it is.
 *
 * @throws RangeError for anything that is no duration, and below zero
 */
export function toMs(duration: Duration, name: string): number {
  if (typeof duration === 'number' && duration >= 0) return duration;
  const text = typeof duration === 'string' ? duration.replaceAll(' ', '') : '';
  if (WHOLE.test(text)) {
    let ms = 0;
    for (const [, count, unit = ''] of text.matchAll(PART)) {
      ms += Number(count) * (UNIT_MS[unit] ?? 0);
    }
    return ms;
  }
  throw new RangeError(
    `${name} must be milliseconds or text such as "30s" or "1h30m", not ${JSON.stringify(duration)}`,
  );
}

/** A whole number of milliseconds, rounded up. @throws RangeError for what is no finite duration */
export function readDuration(duration: Duration, name = 'a duration'): number {
  const ms = Math.ceil(toMs(duration, name));
  if (!Number.isFinite(ms)) throw new RangeError(`${name} must be finite, not ${duration}`);
  return ms;
}
