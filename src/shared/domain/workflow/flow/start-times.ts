import type { JsonValue } from '../../json.ts';
import { DURATION_FORMS, parseDuration } from '../parse/parse-duration.ts';
import { parseInstant } from '../parse/parse-instant.ts';
import type { TimerSpec } from '../plan/plan.ts';

/** When an execution may begin, and by when it must have begun; both from its start. */
export interface StartTimes {
  /** Null: at once. */
  readonly after: TimerSpec | null;
  /** Null: whenever it may. */
  readonly deadline: TimerSpec | null;
}

export const START_TIME_FORMS = `${DURATION_FORMS}, or an instant like "2030-01-31T09:00:00Z"`;

/** A delay from the start, or an instant; null: it is neither. */
export function parseStartTime(value: JsonValue): TimerSpec | null {
  const delayMs = parseDuration(value);
  if (delayMs !== null) return { delayMs };
  const until = typeof value === 'string' ? parseInstant(value) : null;
  return until === null ? null : { until };
}

/** The deadline comes before the start, as far as both are of one form. */
export function endsBeforeStart({ after, deadline }: StartTimes): boolean {
  if (after === null || deadline === null) return false;
  if ('delayMs' in after && 'delayMs' in deadline) return deadline.delayMs <= after.delayMs;
  return 'until' in after && 'until' in deadline && deadline.until <= after.until;
}
