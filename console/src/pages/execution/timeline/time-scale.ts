export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Where an instant is drawn, from 0 to 1, and which idle times are drawn shorter than they were. */
export interface TimeScale {
  readonly place: (at: number) => number;
  /** The instant at a place: the inverse of `place`. */
  readonly timeAt: (place: number) => number;
  readonly folds: readonly Interval[];
}

/** An idle time is folded from this part of all busy time on. */
const FOLD_SHARE = 0.1;
const FOLD_MS_MIN = 500;

/** A linear scale, in which long idle times shrink where `isFolded`. */
export function createTimeScale(params: {
  readonly whole: Interval;
  readonly busy: readonly Interval[];
  readonly isFolded: boolean;
}): TimeScale {
  const { whole, isFolded } = params;
  const busy = mergeIntervals(params.busy);
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const shownMs = Math.max(FOLD_MS_MIN, busyMs * FOLD_SHARE);
  const folds = isFolded
    ? gapsBetween(whole, busy).filter(({ from, to }) => to - from > shownMs)
    : [];
  const drawn = (at: number) => {
    let ms = at - whole.from;
    for (const { from, to } of folds) {
      if (at <= from) break;
      const inside = Math.min(at, to) - from;
      ms -= inside - (inside * shownMs) / (to - from);
    }
    return ms;
  };
  const total = Math.max(1, drawn(whole.to));
  return {
    folds,
    place: (at) => Math.min(1, Math.max(0, drawn(at) / total)),
    timeAt: (place) => searchTime(whole, (at) => drawn(at) / total < place),
  };
}

function mergeIntervals(intervals: readonly Interval[]): readonly Interval[] {
  const merged: Interval[] = [];
  for (const next of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || next.from > last.to) merged.push(next);
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
  }
  return merged;
}

function gapsBetween(whole: Interval, busy: readonly Interval[]): readonly Interval[] {
  const gaps: Interval[] = [];
  let from = whole.from;
  for (const interval of busy) {
    if (interval.from > from) gaps.push({ from, to: interval.from });
    from = Math.max(from, interval.to);
  }
  if (whole.to > from) gaps.push({ from, to: whole.to });
  return gaps;
}

const HALVINGS = 40;

function searchTime({ from, to }: Interval, isBefore: (at: number) => boolean): number {
  let [low, high] = [from, to];
  for (let round = 0; round < HALVINGS; round += 1) {
    const middle = (low + high) / 2;
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return high;
}
