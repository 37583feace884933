import {
  OUTRIGHT_SECTIONS,
  OUTRIGHT_TYPES,
  type OutrightColumn,
  type OutrightSection,
} from './commit-outright-batch.ts';
import { after, INSTANT, STAMP } from './commit-parts.ts';
import { ticketColumns } from './rows.ts';

/*
 * The text of a commit that is carried out outright: for batches of plans that are nearly always
 * accepted, see `commit-outright.ts`. One statement is one transaction, as with `commit-sql.ts`, but
 * nothing is judged plan by plan: everything is written from the parameters as they come, and at
 * the end as many executions must have moved and leases have ended as there are in the batch.
 * Otherwise `refuse_outright` fails the statement, and nothing of it remains.
 *
 * The conditions stand with the writes. Whoever waits for a row that another transaction changes
 * looks at the conditions again on the changed row. Executions are written in the order of their
 * ids, because the array finds them so and the parameters are in that order, and leases after
 * them, so there are no deadlocks. The clock is read before the locks; a row that was written later
 * than that fails its condition.
 *
 * Rows come from `select unnest(…), unnest(…)`, which hands them on one by one. In `from`, every
 * array would be written down and read again.
 */

export interface OutrightStatement {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly OutrightColumn[];
}

/** Texts prepared on a connection cost it memory; past this many, the text with all parts serves. */
const TEXTS_MAX = 64;

const texts = new Map<number, OutrightStatement>();

/** The statement with these sections. */
export function outrightStatement(has: Has): OutrightStatement {
  let mask = OUTRIGHT_SECTIONS.reduce(
    (bits, section, index) => (has(section) ? bits | (1 << index) : bits),
    0,
  );
  if (!texts.has(mask) && texts.size >= TEXTS_MAX) mask = (1 << OUTRIGHT_SECTIONS.length) - 1;
  let statement = texts.get(mask);
  if (statement === undefined) {
    const bits = mask;
    const serves: Has = (section) => (bits & (1 << OUTRIGHT_SECTIONS.indexOf(section))) !== 0;
    statement = { name: `commit-outright-${mask}`, ...compose(serves) };
    texts.set(mask, statement);
  }
  return statement;
}

type Has = (section: OutrightSection) => boolean;
type Param = (column: OutrightColumn) => string;

function compose(has: Has): Omit<OutrightStatement, 'name'> {
  const columns: OutrightColumn[] = [];
  const $: Param = (column) => {
    if (!columns.includes(column)) columns.push(column);
    return `$${columns.indexOf(column) + 1}::${OUTRIGHT_TYPES[column]}[]`;
  };
  const parts = [
    CLOCK,
    ...(has('moves') ? [moved(has, $)] : []),
    ...(has('settles') ? [released(has, $)] : []),
    ...(has('creates') ? [created($)] : []),
    ...(has('events') ? [appended($)] : []),
    ...(has('births') ? [born(has, $)] : []),
    ...(has('queued') ? [enqueued(has, $)] : []),
    ...(has('clears') ? [cleared($)] : []),
    ...(has('hooks') ? [told($)] : []),
  ];
  return { text: `with ${parts.join(',\n')}\n${outcome(has, $)}`, columns };
}

const CLOCK = `clock as materialized (
      select w.instant,
        greatest(
          date_trunc('milliseconds', w.instant),
          (select s.covers_to from audit_windows s order by s.window_number desc limit 1)
        ) as stamp
      from (select clock_timestamp() as instant offset 0) w
    )`;

function moved(has: Has, $: Param): string {
  const ends = has('ends');
  return `moved as (
      update executions e
      set last_sequence = m.expected + m.event_count,
        ${
          ends
            ? `status = coalesce(m.status, e.status),
        error = coalesce(m.error, e.error),
        completed_at = case when m.status is not null then ${STAMP} end,`
            : ''
        }
        updated_at = ${STAMP}
      from (
        select unnest(${$('move_execution')}) as id, unnest(${$('move_tenant')}) as tenant_id,
          unnest(${$('move_expected')}) as expected, unnest(${$('move_events')}) as event_count
          ${ends ? `, unnest(${$('end_status')}) as status, unnest(${$('end_error')}) as error` : ''}
      ) m
      where e.id = any(${$('move_execution')})
        and e.id = m.id
        and e.tenant_id = m.tenant_id
        and e.last_sequence = m.expected
        and e.completed_at is null
        and e.updated_at <= ${STAMP}
      returning e.id, e.shard
    )`;
}

function released(has: Has, $: Param): string {
  return `released as (
      delete from work_leases l
      using (
        select unnest(${$('settle_item')}) as work_item_id,
          unnest(${$('settle_execution')}) as execution_id, unnest(${$('settle_fence')}) as lease_fence
      ) s
      where l.work_item_id = any(${$('settle_item')})
        and l.work_item_id = s.work_item_id
        and l.execution_id = s.execution_id
        and l.lease_fence = s.lease_fence
        ${has('moves') ? `and ${after('moved')}` : ''}
      returning l.work_item_id
    )`;
}

function created($: Param): string {
  return `created as (
      insert into executions (
        id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
        parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
      )
      select n.id, n.tenant_id, n.definition_id, n.workflow_id, n.workflow_version, n.shard,
        n.priority, n.parent_execution_id, n.status, n.last_sequence, n.error, ${STAMP}, ${STAMP},
        case when n.status in ('completed', 'failed', 'cancelled') then ${STAMP} end
      from (
        select unnest(${$('new_execution')}) as id, unnest(${$('new_tenant')}) as tenant_id,
          unnest(${$('new_definition')}) as definition_id, unnest(${$('new_workflow')}) as workflow_id,
          unnest(${$('new_version')}) as workflow_version, unnest(${$('new_shard')}) as shard,
          unnest(${$('new_priority')}) as priority, unnest(${$('new_parent')}) as parent_execution_id,
          unnest(${$('new_status')}) as status, unnest(${$('new_sequence')}) as last_sequence,
          unnest(${$('new_error')}) as error
      ) n
      on conflict (id) do nothing
      returning id, shard
    )`;
}

function appended($: Param): string {
  return `appended as (
      insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
      select unnest(${$('event_execution')}), unnest(${$('event_sequence')}),
        unnest(${$('event_kind')}), unnest(${$('event_node')}), unnest(${$('event_payload')}),
        unnest(${$('event_actor')}), ${STAMP}
    )`;
}

function born(has: Has, $: Param): string {
  return `born as (
      insert into work_leases (
        ${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at
      )
      select ${ticketColumns('t')}, t.worker_id, nextval('lease_fence_seq'), ${INSTANT},
        ${INSTANT} + least(t.ms, t.node_timeout_ms) * interval '1 millisecond',
        ${INSTANT} + t.node_timeout_ms * interval '1 millisecond'
      from (
        select unnest(${$('born_item')}) as work_item_id, unnest(${$('born_execution')}) as execution_id,
          unnest(${$('born_tenant')}) as tenant_id, unnest(${$('born_node')}) as node_id,
          unnest(${$('born_visit')}) as visit, unnest(${$('born_attempt')}) as attempt,
          unnest(${$('born_queue')}) as queue, unnest(${$('born_priority')}) as priority,
          unnest(${$('born_key')}) as idempotency_key,
          unnest(${$('born_node_timeout')}) as node_timeout_ms,
          unnest(${$('born_start_timeout')}) as schedule_to_start_ms,
          unnest(${$('born_worker')}) as worker_id, unnest(${$('born_ms')}) as ms
      ) t
      where ${has('settles') ? after('released') : 'true'}
      returning work_item_id, lease_fence
    )`;
}

function enqueued(has: Has, $: Param): string {
  const executions = [
    ...(has('moves') ? ['select id, shard from moved'] : []),
    ...(has('creates') ? ['select id, shard from created'] : []),
  ];
  return `enqueued as (
      insert into work_queue (queue_key, shard, start_before, enqueued_at, ${ticketColumns()})
      select case when t.queue = 'engine' then 'engine' else t.tenant_id || '/' || t.queue end,
        a.shard, ${INSTANT} + t.schedule_to_start_ms * interval '1 millisecond', ${INSTANT},
        ${ticketColumns('t')}
      from (
        select unnest(${$('queued_item')}) as work_item_id,
          unnest(${$('queued_execution')}) as execution_id, unnest(${$('queued_tenant')}) as tenant_id,
          unnest(${$('queued_node')}) as node_id, unnest(${$('queued_visit')}) as visit,
          unnest(${$('queued_attempt')}) as attempt, unnest(${$('queued_queue')}) as queue,
          unnest(${$('queued_priority')}) as priority, unnest(${$('queued_key')}) as idempotency_key,
          unnest(${$('queued_node_timeout')}) as node_timeout_ms,
          unnest(${$('queued_start_timeout')}) as schedule_to_start_ms,
          generate_series(1, cardinality(${$('queued_item')})) as ordinal
      ) t
      join (${executions.join(' union all ')}) a on a.id = t.execution_id
      order by t.ordinal
    )`;
}

/** Marks of what has been decided, or has ended. */
function cleared($: Param): string {
  return `cleared as (
      delete from runnable r
      where r.execution_id = any(${$('clear_execution')})
    )`;
}

function told($: Param): string {
  return `told as (
      insert into webhook_deliveries (
        delivery_id, webhook_id, tenant_id, execution_id, event_type, data, status, attempts,
        next_attempt_at, created_at
      )
      select gen_random_uuid(), w.webhook_id, h.tenant_id, h.execution_id, h.type, h.data, 'pending', 0,
        ${STAMP}, ${STAMP}
      from (
        select unnest(${$('hook_execution')}) as execution_id, unnest(${$('hook_tenant')}) as tenant_id,
          unnest(${$('hook_type')}) as type, unnest(${$('hook_data')}) as data,
          generate_series(1, cardinality(${$('hook_type')})) as ordinal
      ) h
      join (
        select webhook_id, tenant_id, event_types
        from webhooks
        where tenant_id = any(${$('hook_tenant')})
          and status = 'active'
      ) w on w.tenant_id = h.tenant_id
      where w.event_types is null or h.type = any(w.event_types)
      order by h.ordinal
    )`;
}

/** One row: the time of all events, and the fences of the leases with the items they are of. */
function outcome(has: Has, $: Param): string {
  const failures = [
    ...(has('moves')
      ? [`(select count(*) from moved) <> cardinality(${$('move_execution')})`]
      : []),
    ...(has('settles')
      ? [`(select count(*) from released) <> cardinality(${$('settle_item')})`]
      : []),
    ...(has('creates')
      ? [`(select count(*) from created) <> cardinality(${$('new_execution')})`]
      : []),
  ];
  return `select ${STAMP} as stamp, b.items, b.fences,
      case when ${failures.join(' or ')} then refuse_outright() end as refused
    from (
      ${
        has('births')
          ? 'select array_agg(work_item_id) as items, array_agg(lease_fence) as fences from born'
          : 'select null::uuid[] as items, null::int8[] as fences'
      }
    ) b`;
}
