import type { AwaitedPlace } from '../commit.ts';

/** `next_line` of a wait: columns of the wait that it becomes, as JSON; null: it begins then. */
export interface NextLine {
  readonly place_key: string;
  readonly places_max: number | null;
  readonly places_key: string | null;
  readonly bucket_key: string | null;
  readonly interval_us: number | null;
  readonly burst: number | null;
  readonly cancels_oldest: boolean;
}

export function writeLine(awaited: AwaitedPlace | null): string | null {
  if (awaited === null) return null;
  const { placeKey, placesMax, rate, cancelsOldest = false } = awaited;
  const line: NextLine = {
    place_key: placeKey,
    places_max: placesMax,
    places_key: rate?.placesKey ?? null,
    bucket_key: rate?.bucket.key ?? null,
    interval_us: rate?.bucket.intervalUs ?? null,
    burst: rate?.bucket.burst ?? null,
    cancels_oldest: cancelsOldest,
  };
  return JSON.stringify(line);
}
