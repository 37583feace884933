import { createStore } from './store.ts';

/** When the service stopped answering, in milliseconds; null: it answers. */
const store = createStore<number | null>(null);

export const useOutage = store.use;

export function reportReached(): void {
  store.write(null);
}

export function reportUnreached(): void {
  if (store.read() === null) store.write(Date.now());
}
