import type { ExecutionRef, Reader } from '../../caller.ts';
import { type KeySetting, lastSetting } from '../../../domain/execution/timeline/key-settings.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { openHistory, sequenceWithin, shownStateAt } from './open-history.ts';

export interface BlamedState {
  readonly executionId: ExecutionId;
  readonly sequence: number;
  /** In the order of the keys in the state. */
  readonly keys: readonly (KeySetting & { readonly key: string })[];
  /** The state has more keys. */
  readonly truncated: boolean;
}

const KEYS_MAX = 1_000;

/** For each top-level key of a state: the event that set it last. */
export async function blameState(
  deps: UseCaseDeps,
  caller: Reader,
  params: ExecutionRef & { readonly sequence: number | null },
): Promise<BlamedState> {
  const opened = await openHistory(deps, caller, params);
  const { row, history } = opened;
  const sequence = sequenceWithin(row, params.sequence);
  const { state } = await shownStateAt(deps, opened, sequence);
  const keys = Object.keys(state.data);
  return {
    executionId: row.executionId,
    sequence,
    keys: keys.slice(0, KEYS_MAX).flatMap((key) => {
      const setting = lastSetting(history.settings, key, sequence);
      return setting === undefined ? [] : [{ key, ...setting }];
    }),
    truncated: keys.length > KEYS_MAX,
  };
}
