/** The last instant that has four digits for its year. */
const MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** The first instant of the year 1: PostgreSQL has no year 0. */
const MS_MIN = Date.parse('0001-01-01T00:00:00.000Z');

/** ISO 8601 in UTC with milliseconds; null: a database cannot hold it, or it is no number. */
export function instantOf(ms: number): string | null {
  return ms >= MS_MIN && ms <= MS_MAX ? new Date(ms).toISOString() : null;
}

/** The nearest instant that a database can hold. */
export function nearestInstant(ms: number): string {
  return new Date(Math.min(Math.max(ms, MS_MIN), MS_MAX)).toISOString();
}
