import type { RemoteWake } from '../../store.ts';

/** There is no other process to tell. */
export function createRemoteWake(): RemoteWake {
  return {
    send: () => undefined,
    listen: async () => undefined,
  };
}
