/*
 * Whether a series of readings stays flat. The slope is the median of the slopes between all pairs of
 * readings of one life (Theil and Sen): a few readings taken while something was broken, or while a
 * cache filled, move it little. Between two lives of a process there is no slope.
 */

export interface Reading {
  /** Milliseconds since the run began. */
  readonly atMs: number;
  readonly value: number;
  /** Readings of different lives are not compared. */
  readonly life: string;
}

export interface Bound {
  /** What it may grow by over the run: the larger of both. */
  readonly absolute: number;
  /** Of the median. */
  readonly share: number;
}

export interface Trend {
  readonly readings: number;
  readonly median: number;
  readonly max: number;
  /** The slope times the duration: what it grows by over the run. */
  readonly growth: number;
  readonly allowed: number;
  readonly isFlat: boolean;
}

/** Above that every nth reading is taken: a day of readings would make a million pairs. */
const READINGS_MAX = 400;
/** Fewer say nothing about a slope. */
export const READINGS_MIN = 5;

/** Null: there are too few readings to say. */
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

/** Of each pair, in its unit for a millisecond. */
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

/** By the nearest rank; NaN of nothing. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
