import { namesOf, spell, type Has, type Param } from './parts.ts';
import { START_NAMES } from './sections.ts';
import { placingParts } from './trees.ts';

/** Executions that accepted plans of others start: children, and runs that continue another. */
export function startingParts(has: Has, $: Param): string[] {
  if (!has('runs')) return [];
  return [
    `run as materialized (
      select ${spell(namesOf('runs'), 'r')}, a.tenant_id, a.stamp
      from ${$.table('runs', 'r')}
      join accepted a on a.position = r.position
    )`,
    `run_created as (
      insert into executions (
        id, tenant_id, ${spell(START_NAMES)}, status, last_sequence, error, created_at,
        updated_at, completed_at
      )
      select r.id, r.tenant_id, ${spell(START_NAMES, 'r')}, 'running', 1, null, r.stamp, r.stamp,
        null
      from run r
      order by r.id
    )`,
    `run_appended as (
      insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
      select r.id, 1, 'WorkflowStarted', null, r.payload, r.actor_id, r.stamp
      from run r
    )`,
    `run_used as (
      insert into execution_usage (execution_id, tenant_id, input_tokens, output_tokens, cost_usd)
      select r.id, r.tenant_id, r.input_tokens, r.output_tokens, r.cost_usd
      from run r
      where r.input_tokens is not null
    )`,
    `run_marked as (
      insert into runnable (execution_id, shard)
      select r.id, r.shard
      from run r
      where not r.waits_for_place
      order by r.id
    )`,
    ...placingParts(),
  ];
}

/** The labels of the executions that accepted plans make, and those that they set. */
export function labellingParts(has: Has, $: Param): string[] {
  return [...(has('labels') ? [labelled($)] : []), ...(has('setLabels') ? [relabelled($)] : [])];
}

function labelled($: Param): string {
  return `labelled as (
      insert into execution_labels (execution_id, name, value, tenant_id, created_at)
      select coalesce(l.started_id, a.id), l.name, l.value, a.tenant_id, a.stamp
      from ${$.table('labels', 'l')}
      join accepted a on a.position = l.position
    )`;
}

function relabelled($: Param): string {
  return `relabelled as (
      insert into execution_labels (execution_id, name, value, tenant_id, created_at)
      select e.id, l.name, l.value, e.tenant_id, e.created_at
      from ${$.table('setLabels', 'l')}
      join accepted a on a.position = l.position
      join executions e on e.id = a.id
      on conflict (execution_id, name) do update
      set value = excluded.value
    )`;
}

/** Executions that begin to wait for a place of their key, in the order of the batch. */
export function waitingParts(has: Has, $: Param): string[] {
  if (!has('waits')) return [];
  return [
    `waiting as (
      insert into flow_waits (
        execution_id, tenant_id, place_key, places_max, shard, since, places_key, bucket_key,
        interval_us, burst, cancels_oldest, keeps_limit, keeps_rate, first_at, due_at, next_line, batch_bytes
      )
      select a.id, a.tenant_id, w.place_key, w.places_max, w.shard, a.stamp, w.places_key,
        w.bucket_key, w.interval_us, w.burst, w.cancels_oldest, w.keeps_limit, w.keeps_rate, f.first_at,
        least(
          a.stamp + w.debounce_ms * interval '1 millisecond',
          f.first_at + w.debounce_max_ms * interval '1 millisecond',
          a.stamp + w.batch_ms * interval '1 millisecond'
        ), w.next_line, w.batch_bytes
      from ${$.table('waits', 'w')}
      join accepted a on a.position = w.position
      left join lateral (
        select coalesce(min(e.first_at), a.stamp) as first_at
        from flow_waits e
        -- The condition of the join alone would be checked after the line is read, which may be long.
        where w.debounce_ms is not null
          and e.tenant_id = a.tenant_id
          and e.place_key = w.place_key
      ) f on w.debounce_ms is not null
      order by w.position
      ${has('together') ? `on conflict (execution_id) do update set ${spellNewWait()}` : ''}
    )`,
  ];
}

/** An execution that waits already becomes the last of another line. */
function spellNewWait(): string {
  const names = ['place_key', 'places_max', 'since', 'places_key', 'bucket_key', 'interval_us'];
  const others = ['burst', 'cancels_oldest', 'first_at', 'due_at', 'next_line', 'batch_bytes'];
  const columns = [...names, ...others].map((name) => `${name} = excluded.${name}`);
  return [...columns, 'seq = default'].join(', ');
}
