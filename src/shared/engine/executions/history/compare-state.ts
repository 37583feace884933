import type { ExecutionRef, Reader } from '../../caller.ts';
import {
  compareStates,
  type StateDifference,
} from '../../../domain/execution/timeline/compare-states.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { openHistory, sequenceWithin, shownStateAt } from './open-history.ts';

export interface ComparedStates extends StateDifference {
  readonly executionId: ExecutionId;
  readonly from: number;
  readonly to: number;
}

const BOUNDS = { changesMax: 500, charsMax: 512 * 1024 };

/** The changes between the states after two events, in either direction. */
export async function compareState(
  deps: UseCaseDeps,
  caller: Reader,
  params: ExecutionRef & { readonly from: number; readonly to: number | null },
): Promise<ComparedStates> {
  const opened = await openHistory(deps, caller, params);
  const { row } = opened;
  const [from, to] = [sequenceWithin(row, params.from), sequenceWithin(row, params.to)];
  const before = await shownStateAt(deps, opened, from);
  const after = await shownStateAt(deps, opened, to);
  const difference = compareStates(before.state.data, after.state.data, BOUNDS);
  return { executionId: row.executionId, from, to, ...difference };
}
