import { SCHEDULERS_TOPIC } from '../../shared/engine/wake-bus.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Says that this process is alive, for `GET /workers` and for the sharing out of shards. */
export function announceWorker(context: LoopContext & { onAnnounced(): void }): LoopDefinition {
  const { store, settings } = context;
  let announced = false;
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
      if (!announced) {
        announced = true;
        context.onAnnounced();
        context.wake.notify([SCHEDULERS_TOPIC]);
      }
      return { found: 1, more: false };
    },
  };
}

/** A third of what counts as alive when shards are shared out. */
const EVERY_MS = 15_000;
