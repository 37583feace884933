import { useSyncExternalStore } from 'react';

/** One value outside React that components follow. */
export interface Store<Value> {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
  readonly use: () => Value;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  const read = () => current;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    read,
    write: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, read),
  };
}
