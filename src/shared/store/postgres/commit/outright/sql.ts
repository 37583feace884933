import { OUTRIGHT_SECTIONS, OUTRIGHT_TYPES, type OutrightColumn } from './batch.ts';
import { born, described, enqueued, released } from './work.ts';
import { allHold, executions, type Has, type Param } from './parts.ts';
import { STAMP } from '../parts.ts';

/*
 * The text of a commit that is carried out outright: for batches of plans that are nearly always
 * accepted, see `commit/outright/outright.ts`. One statement is one transaction, as with `commit/sql.ts`, but
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

/** Texts prepared on a connection cost it memory; past this many, the text with all columns serves. */
const TEXTS_MAX = 64;
/** Without `tails`, which changes what the sequences of the batch mean. */
const ALL_COLUMNS = (1 << OUTRIGHT_SECTIONS.indexOf('tails')) - 1;

const texts = new Map<number, OutrightStatement>();

/** The statement with these sections. */
export function outrightStatement(has: Has): OutrightStatement {
  let mask = OUTRIGHT_SECTIONS.reduce(
    (bits, section, index) => (has(section) ? bits | (1 << index) : bits),
    0,
  );
  if (!texts.has(mask) && texts.size >= TEXTS_MAX) mask |= ALL_COLUMNS;
  let statement = texts.get(mask);
  if (statement === undefined) {
    const bits = mask;
    const serves: Has = (section) => (bits & (1 << OUTRIGHT_SECTIONS.indexOf(section))) !== 0;
    statement = { name: `commit-outright-${mask}`, ...compose(serves) };
    texts.set(mask, statement);
  }
  return statement;
}

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
    ...(has('events') ? [appended(has, $)] : []),
    ...(has('outputs') ? [recorded(has, $)] : []),
    ...(has('records') ? [described($)] : []),
    ...(has('births') ? [born(has, $)] : []),
    ...(has('queued') ? [enqueued(has, $)] : []),
    ...(has('marks') && has('moves') ? [marked($)] : []),
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
  const tails = has('tails');
  // Whoever waits for a tail to be free gets no time before that of the last event there.
  const stamp = tails ? `greatest(${STAMP}, e.updated_at)` : STAMP;
  return `moved as (
      update executions e
      set last_sequence = ${tails ? 'e.last_sequence' : 'm.expected'} + m.event_count,
        ${
          ends
            ? `status = coalesce(m.status, e.status),
        error = coalesce(m.error, e.error),
        completed_at = case when m.status is not null then ${stamp} end,`
            : ''
        }
        updated_at = ${stamp}
      from (
        select unnest(${$('move_execution')}) as id, unnest(${$('move_tenant')}) as tenant_id,
          unnest(${$('move_expected')}) as expected, unnest(${$('move_events')}) as event_count
          ${ends ? `, unnest(${$('end_status')}) as status, unnest(${$('end_error')}) as error` : ''}
      ) m
      where e.id = any(${$('move_execution')})
        and e.id = m.id
        and e.tenant_id = m.tenant_id
        and e.completed_at is null
        ${
          tails
            ? 'and (m.expected is null or e.last_sequence = m.expected)'
            : `and e.last_sequence = m.expected
        and e.updated_at <= ${STAMP}`
        }
      returning e.id, e.shard, e.last_sequence, e.last_sequence - m.event_count as base,
        e.updated_at as stamp
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

function appended(has: Has, $: Param): string {
  const given = `select unnest(${$('event_execution')}) as execution_id,
        unnest(${$('event_sequence')}) as sequence, unnest(${$('event_kind')}) as kind,
        unnest(${$('event_node')}) as node_id, unnest(${$('event_payload')}) as payload,
        unnest(${$('event_actor')}) as actor_id`;
  return `appended as (
      insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
      ${
        has('tails')
          ? `select v.execution_id, a.base + v.sequence, v.kind, v.node_id, v.payload, v.actor_id,
        a.stamp
      from (${given}) v
      join (${executions(has)}) a on a.id = v.execution_id`
          : `${given}, ${STAMP}`
      }
    )`;
}

/** The first result under a key stays: that is what a replay must find. */
function recorded(has: Has, $: Param): string {
  return `recorded as (
      insert into recorded_outputs (
        execution_id, idempotency_key, work_item_id, event_sequence, created_at
      )
      select o.execution_id, o.idempotency_key, o.work_item_id,
        ${has('tails') ? 'a.base + ' : ''}o.sequence, a.stamp
      from (
        select unnest(${$('output_execution')}) as execution_id,
          unnest(${$('output_key')}) as idempotency_key, unnest(${$('output_item')}) as work_item_id,
          unnest(${$('output_sequence')}) as sequence
      ) o
      join (${executions(has)}) a on a.id = o.execution_id
      on conflict (execution_id, idempotency_key) do nothing
    )`;
}

function marked($: Param): string {
  return `marked as (
      insert into runnable (execution_id, shard)
      select a.id, a.shard
      from moved a
      where a.id = any(${$('mark_execution')})
      on conflict (execution_id) do nothing
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
  return `select ${STAMP} as stamp, b.items, b.fences,
      ${
        has('tails') && has('moves')
          ? '(select json_agg(json_build_array(id, last_sequence, stamp)) from moved)'
          : 'null::json'
      } as moves,
      case when not (${allHold(has, $)}) then refuse_outright() end as refused
    from (
      ${
        has('births')
          ? 'select array_agg(work_item_id) as items, array_agg(lease_fence) as fences from born'
          : 'select null::uuid[] as items, null::int8[] as fences'
      }
    ) b`;
}
