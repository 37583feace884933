import { begun, born, described, endings, enqueued } from './work.ts';
import { allHold, executions, OPTIMISTIC_FLAGS, type Has } from './parts.ts';
import { namesOf, spell, STAMP, type Param } from '../parts.ts';
import { EVENT_NAMES, START_NAMES } from '../sections.ts';
import { createStatements } from '../statement.ts';
import { unservedTenants } from '../unserved.ts';

/*
 * The text of the optimistic commit, for batches of plans that are nearly always accepted; see
 * `commit/optimistic/commit.ts`. One statement is one transaction, as with `commit/sql.ts`, but it
 * judges no plan: it writes everything from the parameters as they come. At the end, as many
 * executions must have moved and leases have ended as the batch names, and no new execution may have
 * the id of a removed one. Otherwise `refuse_outright` fails the statement, which then writes nothing.
 * So does an execution's id or an Idempotency-Key that is taken: with `on conflict` each of their rows
 * would have a second record in the log.
 *
 * Each write carries its conditions. After a wait for another transaction's row change, the
 * statement checks the conditions again on the changed row. The parameters are in the order of the
 * executions' ids, and leases follow the executions, so there are no deadlocks. The clock is read
 * before the locks; a row that was written after that instant fails its condition.
 *
 * Rows come from `select unnest(…), unnest(…)`, which hands them on one by one. In `from`, the
 * server would materialize every array and read it again.
 */

/** The statement with the parts that a batch needs; texts with other `tails` cannot replace it. */
export const optimisticStatement = createStatements({
  prefix: 'commit-optimistic',
  flags: OPTIMISTIC_FLAGS,
  widest: OPTIMISTIC_FLAGS.filter((flag) => flag !== 'tails'),
  compose: (has: Has, $) => {
    const parts = [
      CLOCK,
      ...(has('moves') ? [moved(has, $)] : []),
      ...(has('settles') ? endings(has, $) : []),
      ...(has('creates') ? [created($)] : []),
      ...(has('requests') ? [granted($)] : []),
      ...(has('labels') ? [labelled($)] : []),
      ...(has('events') ? [appended(has, $)] : []),
      ...(has('items') ? [described($)] : []),
      ...(has('leases') ? [born(has, $)] : []),
      ...(has('queued') ? [enqueued(has, $)] : []),
      ...(has('marks') && has('moves') ? [marked($)] : []),
      ...(has('clears') ? [cleared($)] : []),
      ...(has('messages') ? [told($)] : []),
    ];
    return `with ${parts.join(',\n')}\n${outcome(has, $)}`;
  },
});

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
  // A commit that waited for a tail gets no time before that of the last event.
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
        select ${$.list('moves', ['execution_id', 'tenant_id', 'expected', 'event_count'])}
          ${ends ? `, ${$.list('moves', ['status', 'error'])}` : ''}
      ) m
      where e.id = any(${$.array('moves', 'execution_id')})
        and e.id = m.execution_id
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
        id, tenant_id, ${spell(START_NAMES)}, status, last_sequence, error, created_at,
        updated_at, completed_at
      )
      select n.execution_id, n.tenant_id, ${spell(START_NAMES, 'n')}, n.status, n.last_sequence,
        n.error, ${STAMP}, ${STAMP},
        case when n.status in ('completed', 'failed', 'cancelled') then ${STAMP} end
      from (
        select ${$.list('creates', ['execution_id', 'tenant_id', ...namesOf('creates')])}
      ) n
      returning id, shard
    )`;
}

/** Batches that take the same keys wait for each other, so all of them take keys in one order. */
function granted($: Param): string {
  return `granted as (
      insert into request_keys (tenant_id, key, body_hash, execution_id, created_at)
      select r.tenant_id, r.key, r.body_hash, r.execution_id, ${STAMP}
      from (
        select ${$.list('requests', ['execution_id', 'tenant_id', ...namesOf('requests')])}
      ) r
      order by r.tenant_id, r.key
    )`;
}

function labelled($: Param): string {
  return `labelled as (
      insert into execution_labels (execution_id, name, value, tenant_id, created_at)
      select ${$.list('labels', ['execution_id', 'name', 'value', 'tenant_id'])}, ${STAMP}
    )`;
}

function appended(has: Has, $: Param): string {
  const given = `select ${$.list('events', ['execution_id', ...namesOf('events')])}`;
  return `appended as (
      insert into events (execution_id, sequence, ${spell(EVENT_NAMES)}, created_at)
      ${
        has('tails')
          ? `select v.execution_id, a.base + v.sequence, ${spell(EVENT_NAMES, 'v')}, a.stamp
      from (${given}) v
      join (${executions(has)}) a on a.id = v.execution_id`
          : `${given}, ${STAMP}`
      }
    )`;
}

function marked($: Param): string {
  return `marked as (
      insert into runnable (execution_id, shard)
      select a.id, a.shard
      from moved a
      where a.id = any(${$.array('marks', 'execution_id')})
      on conflict (execution_id) do nothing
    )`;
}

/** The marks of executions that have decided everything, or have ended. */
function cleared($: Param): string {
  return `cleared as (
      delete from runnable r
      where r.execution_id = any(${$.array('clears', 'execution_id')})
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
        select ${$.list('messages', ['execution_id', 'tenant_id', 'type', 'data'])},
          generate_series(1, cardinality(${$.array('messages', 'type')})) as ordinal
      ) h
      join (
        select webhook_id, tenant_id, event_types
        from webhooks
        where tenant_id = any(${$.array('messages', 'tenant_id')})
          and status = 'active'
      ) w on w.tenant_id = h.tenant_id
      where w.event_types is null or h.type = any(w.event_types)
      order by h.ordinal
    )`;
}

/** One row: the time of all events, and the leased items with their fences. */
function outcome(has: Has, $: Param): string {
  return `select ${STAMP} as stamp, b.items, b.fences,
      ${
        has('tails') && has('moves')
          ? '(select json_agg(json_build_array(id, last_sequence, stamp)) from moved)'
          : 'null::json'
      } as moves,
      ${has('offers') ? unservedTenants($) : 'null::json'} as unserved,
      case when not (${allHold(has, $)}) then refuse_outright() end as refused
    from (
      ${
        has('leases')
          ? `select array_agg(work_item_id) as items, array_agg(lease_fence) as fences from (${begun(has)}) g`
          : 'select null::uuid[] as items, null::int8[] as fences'
      }
    ) b`;
}
