import type { AwaitedPlace } from '../commit.ts';

/** Columns of a wait that say for what. As JSON they are `next_line`: the wait that another one becomes. */
export interface WaitLine {
  readonly place_key: string;
  readonly places_max: number | null;
  readonly places_key: string | null;
  readonly bucket_key: string | null;
  readonly interval_us: number | null;
  readonly burst: number | null;
  readonly cancels_oldest: boolean;
}

export function lineOf({ placeKey, placesMax, rate, cancelsOldest }: AwaitedPlace): WaitLine {
  return {
    place_key: placeKey,
    places_max: placesMax,
    places_key: rate?.placesKey ?? null,
    bucket_key: rate?.bucket.key ?? null,
    interval_us: rate?.bucket.intervalUs ?? null,
    burst: rate?.bucket.burst ?? null,
    cancels_oldest: cancelsOldest === true,
  };
}

/** Null: it begins then. */
export function writeLine(awaited: AwaitedPlace | null): string | null {
  return awaited === null ? null : JSON.stringify(lineOf(awaited));
}
