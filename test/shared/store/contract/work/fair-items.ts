import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import { fairQueueName } from '../../../../../src/shared/domain/work/fair-queue.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import type { ClaimedItem, ClaimRequest, Store } from '../../../../../src/shared/store/store.ts';
import { claim, commitOne, start } from '../drive.ts';
import { makeItem, makePlan, makeTicket } from '../make.ts';

/** Items with keys of fairness: the node of each has the name of its key. */

export function repeat<Key>(key: Key, count: number): readonly Key[] {
  return Array.from({ length: count }, () => key);
}

/** One item for each key, null for none, of one execution. */
export async function queue(
  store: Store,
  tenantId: TenantId,
  keys: readonly (string | null)[],
  changes: Partial<WorkTicket> & { readonly weight?: number; readonly tool?: string } = {},
): Promise<readonly WorkTicket[]> {
  const { weight = 1, tool = 'm.f', queueName = null, ...others } = changes;
  const execution = await start(store, { tenantId });
  const tickets = keys.map((key) =>
    makeTicket(
      execution,
      key === null
        ? { ...others, ...(queueName !== null && { queueName }) }
        : { ...others, queueName: fairQueueName(queueName, { key, weight }), nodeId: key },
    ),
  );
  const newItems = tickets.map((ticket) => makeFairItem(ticket, tool));
  await commitOne(store, makePlan(execution, { newItems }));
  return tickets;
}

function makeFairItem(ticket: WorkTicket, tool: string): ReturnType<typeof makeItem> {
  const { record, ...item } = makeItem(ticket);
  const { queueName } = ticket;
  return {
    ...item,
    record: record && { ...record, tool, ...(queueName !== undefined && { queueName }) },
  };
}

/** The keys of the next items, claimed one by one; `-` for an item without one. */
export async function claimKeys(
  store: Store,
  tenantId: TenantId,
  count: number,
  changes: Partial<ClaimRequest> = {},
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const [item] = await claim(store, tenantId, { limit: 1, ...changes });
    if (item === undefined) break;
    keys.push(keyOf(item));
  }
  return keys;
}

export function keyOf({ ticket, record }: ClaimedItem): string {
  return record?.queueName === undefined ? '-' : ticket.nodeId;
}
