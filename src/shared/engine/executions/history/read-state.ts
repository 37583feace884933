import type { ExecutionRef, Reader } from '../../caller.ts';
import { deriveStatus } from '../../../domain/execution/derive-status.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { type Moment, resolveMoment } from './moment.ts';
import { findExecution, foldTo, showState } from './shown-state.ts';

export interface StateAt {
  readonly executionId: ExecutionId;
  readonly sequence: number;
  readonly lastSequence: number;
  readonly status: ExecutionStatus;
  /** When its last event was recorded; null: before the first. */
  readonly at: string | null;
  readonly state: JsonObject;
  /** Members of the state that are left out, because the answer would be too large. */
  readonly omitted: readonly { readonly key: string; readonly chars: number }[];
  readonly omittedTotal: number;
}

/** Characters of the members that an answer holds. */
const STATE_CHARS_MAX = 512 * 1024;
/** Names of members that are left out. */
const OMITTED_MAX = 100;

/** The state after one event of the history. */
export async function readState(
  deps: UseCaseDeps,
  caller: Reader,
  params: ExecutionRef & { readonly at: Moment },
): Promise<StateAt> {
  const found = await findExecution(deps, caller, params);
  const { row } = found;
  const sequence = await resolveMoment(deps.store.executions, row, params.at);
  const folded = await foldTo(deps, found, sequence);
  const state = showState(deps, found, folded);
  return {
    executionId: row.executionId,
    sequence,
    lastSequence: row.lastSequence,
    status: sequence === row.lastSequence ? row.status : deriveStatus(state),
    at: folded.event?.createdAt ?? null,
    ...keepWithin(state.data),
  };
}

/** The smallest members first, so that as many as possible are shown. */
function keepWithin(data: JsonObject): Pick<StateAt, 'state' | 'omitted' | 'omittedTotal'> {
  const sizes = Object.entries(data).map(([key, value]) => ({
    key,
    chars: key.length + JSON.stringify(value).length,
  }));
  const kept = new Set<string>();
  const omitted: StateAt['omitted'][number][] = [];
  let left = STATE_CHARS_MAX;
  for (const size of sizes.toSorted((one, other) => one.chars - other.chars)) {
    left -= size.chars;
    if (left >= 0) kept.add(size.key);
    else omitted.push(size);
  }
  if (omitted.length === 0) return { state: data, omitted, omittedTotal: 0 };
  const state = Object.fromEntries(Object.entries(data).filter(([key]) => kept.has(key)));
  return { state, omitted: omitted.slice(-OMITTED_MAX), omittedTotal: omitted.length };
}
