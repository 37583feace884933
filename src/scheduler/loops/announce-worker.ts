import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Says that this process is alive, for `GET /workers`. */
export function announceWorker(context: LoopContext): LoopDefinition {
  const { store, settings } = context;
  return {
    name: 'announce-worker',
    part: 'presence',
    restMs: { min: EVERY_MS, max: EVERY_MS },
    async run() {
      await store.workers.announce([
        {
          workerId: settings.processId,
          tenantId: null,
          kind: 'runtime',
          role: settings.role,
          queueTypes: ['engine'],
          version: settings.version,
          host: settings.host,
        },
      ]);
      return { found: 1, more: false };
    },
  };
}

/** A third of what counts as seen lately. */
const EVERY_MS = 20_000;
