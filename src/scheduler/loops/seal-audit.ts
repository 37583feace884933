import { dutyLoop } from './duty-loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Seals what the audit log has got, some time after the fact: sealing is proof for later, and no
 * request waits for it. Two processes that seal at once do no harm, as one of them comes too late.
 */
export function sealAudit(context: LoopContext): LoopDefinition {
  return dutyLoop(context, {
    name: 'seal-audit',
    restMs: { min: 1_000, max: 15_000, quietMax: 60_000 },
    standbyMs: STANDBY_MS,
    run: () => context.auditSealing.round(),
  });
}

/** As long as a frozen process on duty may go unnoticed. */
const STANDBY_MS = 300_000;
