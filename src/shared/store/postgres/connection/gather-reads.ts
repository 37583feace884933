/**
 * Reads that are asked for together go out together. While a lane is free a read waits for nothing
 * but the end of what the event loop is at; while all are busy reads queue up, and the lane that
 * frees first takes them all, up to a bound. Every read sees what was committed before it was asked
 * for, since its statement starts later. Asking for the same key twice reads it twice.
 */
export function gatherReads<Key, Value>(
  /** One value for each key, in their order. */
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  { lanes = 2, keysMax = 200 }: { readonly lanes?: number; readonly keysMax?: number } = {},
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let busy = 0;
  let isScheduled = false;

  function flush(): void {
    while (busy < lanes && waiting.length > 0) {
      const batch = waiting.slice(0, keysMax);
      waiting = waiting.slice(keysMax);
      busy += 1;
      void answer(batch).finally(() => {
        busy -= 1;
        flush();
      });
    }
  }

  async function answer(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await read(batch.map(({ key }) => key));
      batch.forEach(({ resolve, reject }, index) => {
        if (index < values.length) resolve(values[index] as Value);
        else reject(new Error('a gathered read gave too few values'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        flush();
      });
    });
}

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}
