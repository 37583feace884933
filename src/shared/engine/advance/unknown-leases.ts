import type { ExecutionId } from '../../domain/ids.ts';
import type { EngineDeps } from '../deps.ts';
import type { RunningItem } from './run-items.ts';

/**
 * The leases of this process from lost answers: of a claim, or of a commit that created leases.
 * Without this read they would expire and count as failed attempts.
 */
export async function listUnknownLeases(
  { store, settings }: Pick<EngineDeps, 'store' | 'settings'>,
  of: {
    /** Null: of all executions. */
    readonly executionId: ExecutionId | null;
    /** Called after the read, since items may come in meanwhile. */
    readonly known: () => Iterable<RunningItem>;
  },
): Promise<readonly RunningItem[]> {
  const leases = await store.work.listHeld({
    workerId: settings.processId,
    executionId: of.executionId,
  });
  const fences = new Set<number>();
  for (const { leaseFence } of of.known()) fences.add(leaseFence);
  return leases
    .filter(({ leaseFence }) => !fences.has(leaseFence))
    .map(({ ticket, leaseFence }) => ({ ticket, leaseFence, abort: new AbortController() }));
}
