import { startLoop } from '../scheduler/loop.ts';
import { systemTimers } from '../shared/engine/scheduling/timers.ts';
import type { EngineReport } from '../shared/engine/report.ts';
import type { WorkerStore } from '../shared/store/store.ts';

/** A third of what counts as alive in `GET /workers`. */
const EVERY_MS = 20_000;

/** Keeps an API process without a scheduler among the runtime's workers; a scheduler says it itself. */
export function announceApi(params: {
  readonly workers: WorkerStore;
  readonly report: EngineReport;
  readonly processId: string;
  readonly version: string;
  readonly host: string;
}): { stop(): Promise<void> } {
  const { workers, report, processId: workerId, version, host } = params;
  const loop = startLoop({
    name: 'announce-api',
    restMs: { min: EVERY_MS, max: EVERY_MS },
    timers: systemTimers,
    random: Math.random,
    run: async () => {
      await workers.announce([
        { workerId, tenantId: null, kind: 'runtime', role: 'api', queueTypes: [], version, host },
      ]);
      return { found: 1, more: false };
    },
    onRound(round) {
      // One line for an outage, not one for each round that met it.
      if (!round.ok && round.failures === 1) {
        report.trouble('announcing this process failed', round.error);
      }
    },
  });
  return {
    async stop() {
      await loop.stop();
      await workers.withdraw({ workerId, tenantId: null });
    },
  };
}
