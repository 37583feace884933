import { after, type Has, type Param } from './parts.ts';
import { HELD_DUE_AT, ticketColumns } from '../rows.ts';

/*
 * Held items wait among the retries with a due time in the infinite future, where the end of the
 * execution finds them. `held_due_at` is their due time after the release. An item from a queue has
 * been due since it was queued, so items return in the same order.
 */
export function holdingParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  if (has('holds')) {
    parts.push(
      `leaving_retries as materialized (
        select r.work_item_id
        from retry_timers r
        join accepted a on a.id = r.execution_id
        where r.execution_id = any(${$.array('holds', 'execution_id')})
          and r.held_due_at is null
      )`,
      `stopped_retries as (
        update retry_timers r
        set held_due_at = r.due_at,
          due_at = ${HELD_DUE_AT}
        where r.work_item_id = any(array(select work_item_id from leaving_retries))
        returning r.work_item_id
      )`,
      `taken_off as (
        delete from work_queue q
        using accepted a
        where q.execution_id = any(${$.array('holds', 'execution_id')})
          and a.id = q.execution_id
        returning q.shard, q.enqueued_at, q.queue_name, ${ticketColumns('q')}
      )`,
      `set_aside as (
        insert into retry_timers (shard, due_at, held_due_at, queue_name, ${ticketColumns()})
        select q.shard, ${HELD_DUE_AT}, q.enqueued_at, q.queue_name, ${ticketColumns('q')}
        from taken_off q
        where ${after('stopped_retries')}
      )`,
    );
  }
  if (has('releases')) {
    parts.push(
      `given_back as (
        update retry_timers r
        set due_at = r.held_due_at,
          held_due_at = null
        from accepted a
        where r.execution_id = any(${$.array('releases', 'execution_id')})
          and a.id = r.execution_id
          and r.held_due_at is not null
      )`,
    );
  }
  return parts;
}

/** Whether a row moved between the snapshot of the statement and its own deletes. */
export function racingParts(has: Has, $: Param): string[] {
  const revokes = has('revokes');
  const holds = has('holds');
  if (!revokes && !holds) return [];
  const executions = [
    ...(revokes ? [`select unnest(${$.array('revokes', 'execution_id')})`] : []),
    ...(holds ? [`select unnest(${$.array('holds', 'execution_id')})`] : []),
  ];
  const differ = (seen: string, done: string): string =>
    `(select count(*) from ${seen}) <> (select count(*) from ${done})`;
  const races = [
    ...(revokes
      ? [
          differ('leaving_work_queue', 'dropped_work_queue'),
          differ('leaving_retry_timers', 'dropped_retry_timers'),
        ]
      : []),
    // An item that is claimed meanwhile may stay leased, but a promoted one would be missed.
    ...(holds ? [differ('leaving_retries', 'stopped_retries')] : []),
    `exists (
       select
       from accepted a
       join locked k on k.id = a.id
       join seen s on s.id = a.id
       where s.version <> k.version
     )`,
  ];
  return [
    `seen as materialized (
      select e.id, e.xmin as version
      from executions e
      where e.id = any(array(${executions.join(' union ')}))
    )`,
    `raced as materialized (
      select true as happened
      where ${races.join('\n          or ')}
    )`,
  ];
}
