import type { ExecutionRef, Reader } from '../../caller.ts';
import type { KeySetting } from '../../../domain/execution/timeline/key-settings.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { redactUserId } from '../redact-view.ts';
import { type Moment, resolveMoment } from './moment.ts';
import { findExecution, type FoundExecution, foldTo, showState } from './shown-state.ts';

export interface BlamedState {
  readonly executionId: ExecutionId;
  readonly sequence: number;
  /** In the order of the keys in the state. */
  readonly keys: readonly BlamedKey[];
  /** The state has more keys. */
  readonly truncated: boolean;
}

export interface BlamedKey extends KeySetting {
  readonly key: string;
}

const KEYS_MAX = 1_000;

/** For each top-level key of a state: the event that set it last, and who caused that. */
export async function blameState(
  deps: UseCaseDeps,
  caller: Reader,
  params: ExecutionRef & { readonly at: Moment },
): Promise<BlamedState> {
  const found = await findExecution(deps, caller, params);
  const { row } = found;
  const sequence = await resolveMoment(deps.store.executions, row, params.at);
  const folded = await foldTo(deps, found, sequence);
  const keys = Object.keys(showState(deps, found, folded).data);
  return {
    executionId: row.executionId,
    sequence,
    keys: keys.slice(0, KEYS_MAX).flatMap((key) => {
      const setting = folded.settings.keys.get(key);
      return setting === undefined ? [] : [{ key, ...showSetting(deps, found, setting) }];
    }),
    truncated: keys.length > KEYS_MAX,
  };
}

function showSetting(
  { pseudonym }: UseCaseDeps,
  { plan }: FoundExecution,
  setting: KeySetting,
): KeySetting {
  const { cause, nodeId } = setting;
  if (cause === null || cause.userId === null) return setting;
  const userId = redactUserId(cause.userId, { plan, nodeId, pseudonym });
  return { ...setting, cause: { ...cause, userId } };
}
