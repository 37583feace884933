import { emptyCommit } from '../../store/commit.ts';
import type { RunningItem } from '../advance/run-items.ts';
import type { EngineDeps } from '../deps.ts';
import { queueTopic } from '../wake/wake-for.ts';

/** Puts an item that this process could not finish back on its queue; the attempt does not count. */
export async function giveBackItem(deps: EngineDeps, item: RunningItem): Promise<void> {
  item.abort.abort();
  const { ticket, leaseFence } = item;
  try {
    await deps.committer.commit({
      ...emptyCommit(ticket),
      settles: [{ workItemId: ticket.workItemId, leaseFence, onlyIfExpired: false }],
      retries: [{ ticket, delayMs: 0, released: null }],
    });
    deps.wake.notify([queueTopic(ticket)]);
  } catch (error) {
    // Its lease lapses; then another process takes it.
    deps.report.trouble('giving an item back failed', error, { work_item_id: ticket.workItemId });
  }
}
