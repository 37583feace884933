/*
 * Judges whether a series of readings stays flat. The slope is the median of the slopes between all
 * pairs of readings of one life (Theil and Sen). A few readings during a fault, or while a cache
 * fills, hardly move it. Two lives of a process have no slope between them.
 */

export interface Reading {
  /** Milliseconds since the run began. */
  readonly atMs: number;
  readonly value: number;
  /** Only readings of the same life are compared. */
  readonly life: string;
}

export interface Bound {
  /** The growth over the run may reach the larger of `absolute` and `share`. */
  readonly absolute: number;
  /** A share of the median. */
  readonly share: number;
}

export interface Trend {
  readonly readings: number;
  readonly median: number;
  readonly max: number;
  /** The growth over the run: the slope times the duration. */
  readonly growth: number;
  readonly allowed: number;
  readonly isFlat: boolean;
}

/** With more readings, only every nth counts: those of a day would make a million pairs. */
const READINGS_MAX = 400;
/** With fewer readings there is no verdict. */
export const READINGS_MIN = 5;

/** Null: there are too few readings. */
export function judgeTrend(
  readings: readonly Reading[],
  { durationMs, bound }: { readonly durationMs: number; readonly bound: Bound },
): Trend | null {
  const step = Math.ceil(readings.length / READINGS_MAX);
  const taken = readings.filter((_, index) => index % step === 0);
  const slopes = [...Map.groupBy(taken, ({ life }) => life).values()].flatMap(slopesOf);
  if (taken.length < READINGS_MIN || slopes.length === 0) return null;
  const values = readings.map(({ value }) => value);
  const median = medianOf(values);
  const growth = medianOf(slopes) * durationMs;
  const allowed = Math.max(bound.absolute, bound.share * median);
  return {
    readings: readings.length,
    median,
    max: values.reduce((most, value) => Math.max(most, value), -Infinity),
    growth,
    allowed,
    isFlat: growth <= allowed,
  };
}

/** The slope of each pair, per millisecond. */
function slopesOf(readings: readonly Reading[]): number[] {
  return readings.flatMap((one, index) =>
    readings
      .slice(index + 1)
      .filter((other) => other.atMs > one.atMs)
      .map((other) => (other.value - one.value) / (other.atMs - one.atMs)),
  );
}

export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

/** The quantile by the nearest rank; NaN without values. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
