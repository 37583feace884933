import type { ExecutionRef, Reader } from '../../caller.ts';
import {
  compareStates,
  type StateDifference,
} from '../../../domain/execution/timeline/compare-states.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { type Moment, resolveMoment } from './moment.ts';
import { findExecution, foldTo, showState } from './shown-state.ts';

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
  params: ExecutionRef & { readonly from: Moment; readonly to: Moment },
): Promise<ComparedStates> {
  const found = await findExecution(deps, caller, params);
  const { row } = found;
  const { executions } = deps.store;
  const from = await resolveMoment(executions, row, params.from);
  const to = await resolveMoment(executions, row, params.to);
  const earlier = await foldTo(deps, found, Math.min(from, to));
  const earlierShown = showState(deps, found, earlier).data;
  const later = await foldTo(deps, found, Math.max(from, to), earlier);
  const laterShown = showState(deps, found, later).data;
  const [before, after] = from <= to ? [earlierShown, laterShown] : [laterShown, earlierShown];
  return { executionId: row.executionId, from, to, ...compareStates(before, after, BOUNDS) };
}
