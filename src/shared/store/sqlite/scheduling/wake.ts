import type { RemoteWake } from '../../scheduling.ts';

/** There is no other process to tell. */
export function createRemoteWake(): RemoteWake {
  return {
    send: () => undefined,
    flush: async () => undefined,
    listen: async () => undefined,
  };
}
