import { Cron } from 'croner';

import { parseDuration } from '../workflow/parse/parse-duration.ts';

/**
 * When a schedule fires: by a cron expression in a time zone, or at even intervals. Exactly one of
 * `cronExpression` and `every` is not null. Instants here are ISO 8601 in UTC with milliseconds, so
 * they compare as text.
 *
 * Where clocks are set forward, a cron expression with fixed hours and minutes fires at the first
 * instant after the gap, once; one with a wildcard or a step in them does not fire in the gap. Where
 * clocks are set back, fixed times fire the first time only, wildcards in both.
 */
export interface ScheduleTiming {
  readonly cronExpression: string | null;
  /** A duration such as `15m`, counted from 1970-01-01T00:00:00Z. */
  readonly every: string | null;
  /** IANA name; for intervals it has no meaning. */
  readonly timezone: string;
}

export const CRON_CHARACTERS_MAX = 256;
const EVERY_MS_MIN = 1_000;
const EVERY_MS_MAX = 366 * 24 * 3_600_000;

/** Checks a timing for its author. Returns the error, or null. */
export function findTimingProblem(timing: ScheduleTiming): string | null {
  const { cronExpression, every, timezone } = timing;
  if ((cronExpression === null) === (every === null)) {
    return 'one of cron_expression and every is required, and only one of them';
  }
  if (!isTimezone(timezone)) {
    return `timezone ${JSON.stringify(timezone)} is not an IANA time zone such as Europe/Berlin`;
  }
  return every === null ? findCronProblem(timing) : findEveryProblem(every);
}

/** The first fire after an instant; null: there is none any more. */
export function nextFire(timing: ScheduleTiming, after: string): string | null {
  return nextFires(timing, { after, count: 1 })[0] ?? null;
}

/** The next fires after an instant, oldest first, `count` of them or as many as there are. */
export function nextFires(
  timing: ScheduleTiming,
  { after, count }: { readonly after: string; readonly count: number },
): readonly string[] {
  const { every } = timing;
  if (every === null) {
    return openCron(timing)
      .nextRuns(count, new Date(after))
      .map((fire) => fire.toISOString());
  }
  const everyMs = parseDuration(every) ?? Number.NaN;
  const first = Math.floor(Date.parse(after) / everyMs) + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date((first + index) * everyMs).toISOString(),
  );
}

/** How many fires there are after one instant and up to another, counted no further than `max`. */
export function countFires(
  timing: ScheduleTiming,
  range: { readonly after: string; readonly through: string; readonly max: number },
): number {
  const { after, through, max } = range;
  const everyMs = timing.every === null ? null : parseDuration(timing.every);
  if (everyMs !== null) {
    const before = Math.floor(Date.parse(after) / everyMs);
    return Math.min(max, Math.max(0, Math.floor(Date.parse(through) / everyMs) - before));
  }
  const cron = openCron(timing);
  const end = new Date(through);
  let count = 0;
  for (let fire = cron.nextRun(new Date(after)); fire !== null && fire <= end; count += 1) {
    if (count === max) break;
    fire = cron.nextRun(fire);
  }
  return count;
}

function findEveryProblem(every: string): string | null {
  const everyMs = parseDuration(every);
  const isInBounds = everyMs !== null && everyMs >= EVERY_MS_MIN && everyMs <= EVERY_MS_MAX;
  if (isInBounds && everyMs % EVERY_MS_MIN === 0) return null;
  return 'every must be a whole number of seconds from "1s" to "366d", like "15m" or "12h"';
}

function findCronProblem(timing: ScheduleTiming): string | null {
  const text = timing.cronExpression ?? '';
  if (text.length > CRON_CHARACTERS_MAX) {
    return `cron_expression must be at most ${CRON_CHARACTERS_MAX} characters`;
  }
  // The parser takes an instant for a pattern, too.
  if (!/^\s*(@|\S+(\s+\S+){4,5}\s*$)/.test(text)) {
    return 'cron_expression must have five fields, or six with seconds first, or be like @daily';
  }
  try {
    const fires = nextFire(timing, SOME_INSTANT);
    return fires === null ? 'cron_expression never fires' : null;
  } catch (error) {
    return `cron_expression ${JSON.stringify(text)} cannot be read: ${reasonOf(error)}`;
  }
}

/** An expression without a fire after this never fires, because expressions have no years. */
const SOME_INSTANT = '2026-01-01T00:00:00.000Z';

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
}

function isTimezone(timezone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).format(0) !== '';
  } catch {
    return false;
  }
}

/** Made without an action, so it does nothing but compute. */
function openCron({ cronExpression, timezone }: ScheduleTiming): Cron {
  return new Cron(cronExpression ?? '', {
    timezone,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
  });
}
