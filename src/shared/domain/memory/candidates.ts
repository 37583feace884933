/**
 * The facts that may be among the `k` nearest, each known only within a bound: no nearer than its
 * floor's cosine, no farther than its ceiling's. As soon as `k` facts have a floor above another
 * one's ceiling, that one is out.
 */
export interface Candidates {
  add(ordinal: number, range: { readonly floor: number; readonly ceiling: number }): void;
  /** Highest ceiling first; every one of the `k` nearest is among them. */
  take(): CandidateList;
}

/** Columns of equal length; `ordinals` are the facts' numbers. */
export interface CandidateList {
  readonly ordinals: Float64Array;
  readonly floors: Float64Array;
  readonly ceilings: Float64Array;
}

export function createCandidates(k: number): Candidates {
  const floors = createLargest(k);
  let kept: Candidate[] = [];
  let pruneAt = KEPT_MIN;

  function prune(): void {
    const threshold = floors.least();
    kept = kept.filter(({ ceiling }) => ceiling >= threshold);
    pruneAt = Math.max(KEPT_MIN, kept.length * 2);
  }

  return {
    add(ordinal, { floor, ceiling }) {
      if (ceiling < floors.least()) return;
      floors.add(floor);
      kept.push({ ordinal, floor, ceiling });
      if (kept.length >= pruneAt) prune();
    },
    take() {
      prune();
      kept.sort((left, right) => right.ceiling - left.ceiling || right.ordinal - left.ordinal);
      return {
        ordinals: Float64Array.from(kept, ({ ordinal }) => ordinal),
        floors: Float64Array.from(kept, ({ floor }) => floor),
        ceilings: Float64Array.from(kept, ({ ceiling }) => ceiling),
      };
    },
  };
}

const KEPT_MIN = 1024;

interface Candidate {
  readonly ordinal: number;
  readonly floor: number;
  readonly ceiling: number;
}

/** The `size` largest of the numbers added, as a binary heap with the least of them on top. */
function createLargest(size: number): {
  add(value: number): void;
  /** The least of them; −∞ while there are fewer. */
  least(): number;
} {
  const heap = new Float64Array(size).fill(-Infinity);
  return {
    least: () => heap[0] ?? -Infinity,
    add(value) {
      if (value <= (heap[0] ?? -Infinity)) return;
      let place = 0;
      for (;;) {
        const left = 2 * place + 1;
        const right = left + 1;
        const smaller = (heap[right] ?? Infinity) < (heap[left] ?? Infinity) ? right : left;
        if ((heap[smaller] ?? Infinity) >= value) break;
        heap[place] = heap[smaller] ?? 0;
        place = smaller;
      }
      heap[place] = value;
    },
  };
}
