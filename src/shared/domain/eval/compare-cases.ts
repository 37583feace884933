/** The fields of a case for a comparison. */
export interface ComparedCase {
  readonly passed: boolean;
  readonly score: number;
}

/** Two runs over the same data set, case by case. Reports show it unchanged. */
export type Comparison = {
  /** Passed in the earlier run and did not now. */
  readonly regressions: readonly ComparedPair[];
  readonly improvements: readonly ComparedPair[];
  /** Same verdict, lower or higher score. */
  readonly score_down: readonly ComparedPair[];
  readonly score_up: readonly ComparedPair[];
  readonly unchanged: number;
  /** In one of the runs only. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
};

export type ComparedPair = {
  readonly id: string;
  readonly earlier: number;
  readonly now: number;
};

/** Compares by the ids of cases, in the order of this run. */
export function compareCases(params: {
  readonly earlier: ReadonlyMap<string, ComparedCase>;
  readonly now: ReadonlyMap<string, ComparedCase>;
}): Comparison {
  const { earlier, now } = params;
  const groups = {
    regressions: [] as ComparedPair[],
    improvements: [] as ComparedPair[],
    score_down: [] as ComparedPair[],
    score_up: [] as ComparedPair[],
  };
  const added: string[] = [];
  let unchanged = 0;
  for (const [id, after] of now) {
    const before = earlier.get(id);
    const group = before && groupOf(before, after);
    if (before === undefined) added.push(id);
    else if (group === null || group === undefined) unchanged += 1;
    else groups[group].push({ id, earlier: before.score, now: after.score });
  }
  const removed = [...earlier.keys()].filter((id) => !now.has(id));
  return { ...groups, unchanged, added, removed };
}

function groupOf(before: ComparedCase, after: ComparedCase) {
  if (before.passed !== after.passed) return after.passed ? 'improvements' : 'regressions';
  if (before.score === after.score) return null;
  return after.score > before.score ? 'score_up' : 'score_down';
}
