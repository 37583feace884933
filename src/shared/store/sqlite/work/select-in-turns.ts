import type { TenantId } from '../../../domain/ids.ts';
import type { Connection } from '../connection/connect.ts';
import { TENANT_IS_ACTIVE, TICKET_COLUMNS } from '../rows.ts';
import type { RawQueued } from './select-next.ts';

/**
 * The next items of the engine's queue when tenants take turns: each goes to the tenant with the fewest
 * items at the claimer, those of this claim included.
 */
export function selectInTurns(
  connection: Connection,
  request: {
    readonly limit: number;
    readonly shards: readonly number[] | null;
    readonly heldOf: ReadonlyMap<TenantId, number>;
  },
  now: number,
): readonly RawQueued[] {
  const { limit, heldOf } = request;
  const shards = request.shards === null ? null : JSON.stringify(request.shards);
  return listTenants(connection)
    .flatMap((tenantId) =>
      connection
        .all<RawQueued>(NEXT_OF_TENANT, { tenant_id: tenantId, now, shards, limit })
        .map((item, index) => ({ item, turn: (heldOf.get(tenantId) ?? 0) + index })),
    )
    .toSorted(
      (left, right) =>
        left.turn - right.turn ||
        left.item.priority - right.item.priority ||
        left.item.seq - right.item.seq,
    )
    .slice(0, limit)
    .map(({ item }) => item);
}

function listTenants(connection: Connection): readonly TenantId[] {
  const tenants: TenantId[] = [];
  let next = connection.get<{ readonly id: TenantId | null }>(TENANT_AFTER, { last: '' })?.id;
  while (next !== undefined && next !== null) {
    if (connection.get(IS_ACTIVE, { tenant_id: next }) !== undefined) tenants.push(next);
    next = connection.get<{ readonly id: TenantId | null }>(TENANT_AFTER, { last: next })?.id;
  }
  return tenants;
}

const TENANT_AFTER = `
  select min(tenant_id) as id
  from work_queue
  where queue_key = 'engine' and tenant_id > :last`;

const IS_ACTIVE = `select 1 where :${TENANT_IS_ACTIVE}`;

const NEXT_OF_TENANT = `
  select seq, enqueued_at, queue_name, ${TICKET_COLUMNS}
  from work_queue
  where queue_key = 'engine'
    and tenant_id = :tenant_id
    and (start_before is null or start_before > :now)
    and (:shards is null or shard in (select value from json_each(:shards)))
  order by priority, seq
  limit :limit`;
