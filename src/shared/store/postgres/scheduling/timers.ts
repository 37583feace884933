import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import { TOOL_KEY_MAX } from '../../../domain/work/claim-filter.ts';
import { TAGS_PER_TURN } from '../../../domain/work/fair-queue.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import type { DueTimer, TimerStore } from '../../scheduling.ts';
import type { ClaimWatermarks } from '../work/claim-watermarks.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import {
  decodeTicket,
  HELD_DUE_AT,
  shareOrderOf,
  tenantIsActive,
  ticketColumns,
  toUuid,
  type TicketRecord,
} from '../rows.ts';

export function createTimerStore(pool: PostgresPool, watermarks: ClaimWatermarks): TimerStore {
  return {
    async listDue({ limit }) {
      const rows = await pool.run<TimerRecord>(LIST_DUE, [limit]);
      return rows.map((row) => ({
        executionId: executionIdFromUuid(row.execution_id),
        tenantId: row.tenant_id,
        name: row.name,
        purpose: row.purpose,
        nodeId: row.node_id,
        visit: row.visit,
      }));
    },

    async isDue({ executionId, name }) {
      const rows = await pool.run(IS_DUE, [toUuid(executionId), name]);
      return rows.length > 0;
    },

    async promoteRetries({ limit }) {
      const rows = await pool.run<PromotedRecord>(PROMOTE, [limit]);
      for (const { queue_key: key, is_released: isReleased } of rows) {
        if (isReleased) watermarks.reset(key);
      }
      const tickets = rows.map(decodePromoted);
      for (const ticket of tickets) watermarks.noteEnqueued(ticket);
      return tickets;
    },

    async nextDueInMs() {
      const [row] = await pool.run<{ readonly due_in_ms: number | null }>(NEXT_DUE, []);
      return row?.due_in_ms ?? null;
    },

    async discard(timers) {
      await pool.run(DISCARD, [
        timers.map(({ executionId }) => toUuid(executionId)),
        timers.map(({ name }) => name),
      ]);
    },
  };
}

/** One that was released stands where it stood before, so before what has been claimed since. */
interface PromotedRecord extends TicketRecord {
  readonly queue_key: string;
  readonly queue_name: string | null;
  readonly is_released: boolean;
}

function decodePromoted(row: PromotedRecord): WorkTicket {
  const { queue_name: queueName } = row;
  return { ...decodeTicket(row), ...(queueName !== null && { queueName }) };
}

interface TimerRecord {
  readonly execution_id: string;
  readonly tenant_id: TenantId;
  readonly name: string;
  readonly purpose: DueTimer['purpose'];
  readonly node_id: string | null;
  readonly visit: number | null;
}

const LIST_DUE: Statement = {
  name: 'list-due-timers',
  writes: false,
  text: `
    select t.execution_id, t.tenant_id, t.name, t.purpose, t.node_id, t.visit
    from timers t
    where t.due_at <= (select clock_timestamp())
      and ${tenantIsActive('t')}
    order by t.due_at
    limit $1`,
};

const IS_DUE: Statement = {
  name: 'is-timer-due',
  writes: false,
  text: `
    select 1
    from timers
    where execution_id = $1
      and name = $2
      and due_at <= (select clock_timestamp())`,
};

/**
 * The highest tag of an item with a key of fairness that returns from a claim: it waits neither behind its
 * key nor for more than a turn. Its queue has perhaps been empty since, and begun again, or it is another one.
 */
const RETURNED_TAG = `
        select case
          -- A condition of the join would be checked after this, and other names have no weight.
          when d.queue_seq < 0 and strpos(d.queue_key, '#') = 0 then coalesce(
            (
              select q.seq - 1
              from work_queue q
              where strpos(q.queue_key, '~') > 0
                and q.queue_key = k.queue_key
                and split_part(q.queue_name, '~', 2) = k.share
                and q.priority = d.priority
              order by q.seq
              limit 1
            ),
            (
              select q.seq + ceil(${TAGS_PER_TURN} / k.weight::float8)::int8
              from work_queue q
              where q.queue_key = k.queue_key
                and q.priority = d.priority
              order by q.seq
              limit 1
            )
          )
        end as tag
        from (
          select split_part(d.queue_key, '~', 1) || '~' as queue_key,
            split_part(d.queue_name, '~', 2) as share,
            split_part(d.queue_name, '~', 3) as weight
        ) k`;

/** Waits for nobody: a retry that a commit is revoking at this moment is left to it. */
const PROMOTE: Statement = {
  name: 'promote-retries',
  writes: true,
  text: `
    with picked as materialized (
      select r.work_item_id
      from retry_timers r
      where r.due_at <= (select clock_timestamp())
        and ${tenantIsActive('r')}
      order by r.due_at
      limit $1
      for update skip locked
    ),
    due as (
      delete from retry_timers r
      where r.work_item_id = any(array(select work_item_id from picked))
      returning r.shard, r.due_at, r.queue_seq, r.queued_at, r.queue_name as own_queue_name,
        ${ticketColumns('r')}
    ),
    clock as materialized (
      select clock_timestamp() as instant
    ),
    described as materialized (
      select d.*, n.queue_name, i.tool,
        case
          when d.queue = 'engine' and n.queue_name is null then 'engine'
          else d.tenant_id || '/' || d.queue
        end
          || coalesce('/' || n.queue_name, '') as queue_key
      from due d
      left join lateral (
        select n.queue_name, left(n.tool, ${TOOL_KEY_MAX}) as tool
        from work_items n
        where n.work_item_id = d.work_item_id
          and d.queue <> 'engine'
        limit 1
      ) i on true
      cross join lateral (
        select coalesce(d.own_queue_name, i.queue_name) as queue_name
      ) n
    ),
    enqueued as (
      insert into work_queue as q (
        queue_key, queue_name, tool, shard, start_before, enqueued_at, ${ticketColumns()}
      )
      select d.queue_key, d.queue_name, d.tool, d.shard,
        (select instant from clock) + d.schedule_to_start_ms * interval '1 millisecond',
        (select instant from clock), ${ticketColumns('d')}
      from described d
      where d.queue_seq is null
      order by ${shareOrderOf('d')}, d.due_at
      returning q.seq, q.queue_key, q.queue_name, false as is_released, ${ticketColumns('q')}
    ),
    given_back as (
      insert into work_queue as q (
        seq, queue_key, queue_name, tool, shard, start_before, enqueued_at, ${ticketColumns()}
      )
      overriding system value
      select least(d.queue_seq, f.tag), d.queue_key, d.queue_name, d.tool, d.shard,
        d.queued_at + d.schedule_to_start_ms * interval '1 millisecond', d.queued_at,
        ${ticketColumns('d')}
      from described d
      cross join lateral (${RETURNED_TAG}
      ) f
      where d.queue_seq is not null
      returning q.seq, q.queue_key, q.queue_name, true as is_released, ${ticketColumns('q')}
    )
    select q.queue_key, q.queue_name, q.is_released, ${ticketColumns('q')}
    from (select * from enqueued union all select * from given_back) q
    order by q.seq`,
};

/** Executions are looked up one by one: a join could be kept as a walk over all of them. */
const DISCARD: Statement = {
  name: 'discard-timers',
  writes: true,
  text: `
    delete from timers t
    where (t.execution_id, t.name) in (
      select d.execution_id, d.name
      from unnest($1::uuid[], $2::text[]) as d (execution_id, name)
    )
      and t.execution_id = any($1)
      and coalesce(
        (
          select e.status
          from executions e
          where e.id = t.execution_id
        ),
        'completed'
      ) not in ('running', 'paused')`,
};

/** `greatest` and `least` pass over nulls: a plain 0 would be the answer when nothing waits. */
export const SELECT_NEXT_DUE = `
    select greatest(
      case when t.due_at is null and r.due_at is null then null else 0 end,
      ceil(extract(epoch from least(t.due_at, r.due_at) - clock_timestamp()) * 1000)
    )::int8 as due_in_ms
    from (
      select min(w.due_at) as due_at
      from timers w
      where w.due_at < ${HELD_DUE_AT}
        and ${tenantIsActive('w')}
    ) t
    cross join (
      select min(p.due_at) as due_at
      from retry_timers p
      where p.due_at < ${HELD_DUE_AT}
        and ${tenantIsActive('p')}
    ) r`;

const NEXT_DUE: Statement = { name: 'next-due', writes: false, text: SELECT_NEXT_DUE };
