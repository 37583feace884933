/** The value at the quantile `share` of a sorted list; 0 for an empty one. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Median and extremes of some rounds; null without rounds. An even number takes the mean of two.
 */
export function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((left, right) => left - right);
  const at = (index: number): number => sorted[index] ?? 0;
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
  return { median, min: at(0), max: at(sorted.length - 1) };
}

/**
 * Ratios per round, so that both halves of a ratio had the same load on the machine. A round that
 * lacks one of the two does not count.
 */
export function ratios(
  above: ReadonlyMap<number, number>,
  below: ReadonlyMap<number, number>,
): readonly number[] {
  return [...above].flatMap(([round, value]) => {
    const other = below.get(round);
    return other === undefined || other === 0 ? [] : [value / other];
  });
}
