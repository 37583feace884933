import type { ExecutionId } from '../../domain/ids.ts';
import type { EngineDeps } from '../deps.ts';
import type { RunningItem } from './run-items.ts';

/**
 * The leases that the store gave to this process in an answer that was lost: of a claim, or of a
 * commit that bore leases. Without this reading they would lapse and count as failed attempts.
 */
export async function listUnknownLeases(
  { store, settings }: Pick<EngineDeps, 'store' | 'settings'>,
  of: {
    /** Null: of all executions. */
    readonly executionId: ExecutionId | null;
    /** Called after the reading, since items may come in meanwhile. */
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
