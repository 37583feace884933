import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import type { WorkItemId } from '../../../domain/ids.ts';
import type { Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { judgeAppend, leanEntries, recordedEvents } from './append-entries.ts';
import { type ExceededBudget, judgeUsage } from './judge-usage.ts';
import { changeRun, isLeased, leaseOf, type RunRef, staleFence } from './change-run.ts';

export interface RecordSteps extends RunRef {
  readonly expectedLength: number;
  /** At least one. */
  readonly entries: readonly JournalEntry[];
}

export interface RecordedSteps {
  readonly workItemId: WorkItemId;
  readonly length: number;
  /** A budget that allows no further step; null: none. */
  readonly exceeded: ExceededBudget | null;
}

/** Appends to the journal of the turn, under its fence; the same request twice appends once. */
export async function recordSteps(
  deps: UseCaseDeps,
  caller: Reader,
  params: RecordSteps,
): Promise<RecordedSteps> {
  const { expectedLength } = params;
  const verdict = { recorded: false };
  const refuse = () => staleFence(verdict);
  const entries = await leanEntries(deps, caller.tenantId, params.entries);
  const { answer, found } = await changeRun(deps, caller, {
    ...params,
    refuse,
    propose: async (open) => {
      const { turn, found: item } = open;
      if (turn === null) throw refuse();
      const at = { ...open, turn };
      const length = expectedLength + entries.length;
      const judged = await judgeAppend(deps, at, { entries, expectedLength, verdict });
      if (judged === 'known') {
        // Nothing is committed that would tell that the lease is gone.
        if (!(await isLeased(deps, item))) throw refuse();
        const { exceeded } = await judgeUsage(deps, at, { entries, recorded: [] });
        return { events: null, answer: { length, exceeded } };
      }
      const recorded = recordedEvents(deps, turn, entries);
      const { events, exceeded } = await judgeUsage(deps, at, { entries, recorded });
      return {
        events: [...recorded, ...events],
        commit: { keepsLeases: [leaseOf(item)] },
        answer: { length, exceeded },
      };
    },
  });
  return { workItemId: found.record.workItemId, ...answer };
}
