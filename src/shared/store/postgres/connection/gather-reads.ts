import { gatherCalls } from '../../gather-calls.ts';

/** Reads that are asked for together go out together; a batch that fails fails all of its reads. */
export function gatherReads<Key, Value>(
  /** One value for each key, in their order. */
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  { lanes = 2, keysMax = 200 }: { readonly lanes?: number; readonly keysMax?: number } = {},
): (key: Key) => Promise<Value> {
  return gatherCalls(read, { lanes, sizeMax: keysMax, onFailure: 'reject' });
}
