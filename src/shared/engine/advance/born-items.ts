import type { CommitPlan } from '../../store/commit.ts';
import type { RunningItem } from './run-items.ts';

/** The items that a commit leased to this process and that now start. */
export function bornItems(
  { bornLeased }: CommitPlan,
  fences: readonly number[],
): readonly RunningItem[] {
  return bornLeased.flatMap(({ ticket, record }, index) => {
    if (record !== undefined) return [];
    const leaseFence = fences[index];
    if (leaseFence === undefined) throw new Error('a born lease came without its fence');
    return { ticket, leaseFence, abort: new AbortController() };
  });
}
