import type { ClaimedItem, ClaimRef } from '../../store/store.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';

/*
 * A worker that gets no answer to a claim cannot know whether the claim leased items. It sends the
 * claim again under the same id and gets the items that the claim leased and still holds. They keep
 * their fences, and their leases begin again, so that the lost answer costs no attempt.
 *
 * The first request may still wait in another process, which does not know yet that its caller has
 * left. So a repeated claim looks again at the end of its own wait: the first one has ended by then.
 */
export async function findHeld(
  { store, workerLeases, settings }: UseCaseDeps,
  claim: ClaimRef,
): Promise<readonly ClaimedItem[]> {
  const leased = await store.work.listClaimed(claim);
  const { leaseMs } = settings;
  const held = await Promise.all(
    leased.map(async (item) => {
      const { workItemId, tenantId } = item.ticket;
      const { leaseFence } = item;
      const renewed = await workerLeases.renew({ workItemId, tenantId, leaseFence, leaseMs });
      return renewed === null ? [] : [{ ...item, ...renewed }];
    }),
  );
  return held.flat();
}
