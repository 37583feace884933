import { namesOf, spell, STAMP, type Has, type Param } from './parts.ts';
import { EVENT_NAMES, START_NAMES } from './sections.ts';

/** The executions and events of accepted plans, and their related rows. */

const FAILURE_NAMES = namesOf('failures');

export function acceptingParts(has: Has, $: Param): string[] {
  const asks = has('requests');
  const fails = has('failures');
  const failures = fails ? `left join ${$.table('failures', 'f')} on f.position = j.position` : '';
  return [
    ...(asks
      ? [
          `granted as (
            insert into request_keys as k (tenant_id, key, body_hash, execution_id, created_at)
            select j.tenant_id, r.key, r.body_hash, j.id, ${STAMP}
            from ${$.table('requests', 'r')}
            join judged j on j.position = r.position
            where j.reason is null
            order by j.tenant_id, r.key
            on conflict (tenant_id, key) do update
            set body_hash = excluded.body_hash,
              execution_id = excluded.execution_id,
              created_at = excluded.created_at
            where k.created_at <= excluded.created_at - interval '24 hours'
            returning k.execution_id
          )`,
        ]
      : []),
    ...(has('creates')
      ? [
          `created as (
            insert into executions (
              id, tenant_id, ${spell(START_NAMES)}, status, last_sequence, error, created_at,
              updated_at, completed_at ${fails ? `, ${spell(FAILURE_NAMES)}` : ''}
            )
            select j.id, j.tenant_id, ${spell(START_NAMES, 'n')}, coalesce(j.status, 'running'),
              j.event_count, j.error, ${STAMP}, ${STAMP},
              case when j.status in ('completed', 'failed', 'cancelled') then ${STAMP} end
              ${fails ? `, ${spell(FAILURE_NAMES, 'f')}` : ''}
            from ${$.table('creates', 'n', ['position', ...START_NAMES])}
            join judged j on j.position = n.position
            ${failures}
            where j.reason is null
              ${
                asks
                  ? `and (
                       j.position <> all(${$.array('requests', 'position')})
                       or j.id in (select execution_id from granted)
                     )`
                  : ''
              }
            order by j.id
            on conflict (id) do nothing
            returning id, last_sequence, shard, updated_at
          )`,
        ]
      : []),
    // The hash join only reads the batch and the rows that the array finds.
    `updated as (
      update executions e
      set last_sequence = e.last_sequence + j.event_count,
        status = coalesce(j.status, e.status),
        error = coalesce(j.error, e.error),
        updated_at = greatest(${STAMP}, e.updated_at),
        completed_at = case
          when j.status in ('completed', 'failed', 'cancelled') then greatest(${STAMP}, e.updated_at)
          else e.completed_at
        end
        ${fails ? FAILURE_NAMES.map((name) => `, ${name} = coalesce(f.${name}, e.${name})`).join('') : ''}
      from judged j
      ${failures}
      where e.id = any(${$.array('plans', 'execution_id')})
        and j.id = e.id
        and j.reason is null
        and not j.is_new
      returning e.id, e.last_sequence, e.shard, e.updated_at
    )`,
    `accepted as materialized (
      select j.position, j.id, j.tenant_id, j.status, j.runnable, j.revokes_all, u.shard,
        u.last_sequence, u.last_sequence - j.event_count as base, u.updated_at as stamp
      from judged j
      join (
        select id, last_sequence, shard, updated_at from updated
        ${has('creates') ? 'union all select id, last_sequence, shard, updated_at from created' : ''}
      ) u on u.id = j.id
    )`,
    `appended as (
      insert into events (execution_id, sequence, ${spell(EVENT_NAMES)}, created_at)
      select a.id, a.base + v.sequence, ${spell(EVENT_NAMES, 'v')}, a.stamp
      from ${$.table('events', 'v')}
      join accepted a on a.position = v.position
    )`,
  ];
}

export function recordingParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  if (has('snapshots')) {
    parts.push(
      `folded as (
        insert into snapshots (execution_id, sequence, body)
        select a.id, a.last_sequence, s.body
        from ${$.table('snapshots', 's')}
        join accepted a on a.position = s.position
        on conflict (execution_id) do update
        set sequence = excluded.sequence,
          body = excluded.body
      )`,
    );
  }
  if (has('deadLetters')) {
    parts.push(
      `buried as (
        insert into dead_letters (
          work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error, error_class,
          cause_key, dead_lettered_at
        )
        select i.work_item_id, i.execution_id, i.tenant_id, i.node_id, i.queue, i.tool, d.attempt,
          d.error, d.error_class, d.cause_key, a.stamp
        from ${$.table('deadLetters', 'd')}
        join accepted a on a.position = d.position
        join work_items i on i.work_item_id = d.work_item_id and i.execution_id = a.id
        where i.work_item_id = any(${$.array('deadLetters', 'work_item_id')})
        on conflict (work_item_id) do update
        set attempt = excluded.attempt,
          error = excluded.error,
          error_class = excluded.error_class,
          cause_key = excluded.cause_key,
          dead_lettered_at = excluded.dead_lettered_at
      )`,
    );
  }
  if (has('messages')) {
    // An unchanged status is no message.
    parts.push(
      `told as (
        insert into webhook_deliveries (
          delivery_id, webhook_id, tenant_id, execution_id, event_type, data, status, attempts,
          next_attempt_at, created_at
        )
        select gen_random_uuid(), w.webhook_id, a.tenant_id, coalesce(h.started_id, a.id), h.type, h.data, 'pending', 0,
          a.stamp, a.stamp
        from ${$.table('messages', 'h')}
        join accepted a on a.position = h.position
        join (
          select webhook_id, tenant_id, event_types
          from webhooks
          where tenant_id = any(${$.array('plans', 'tenant_id')})
            and status = 'active'
        ) w on w.tenant_id = a.tenant_id
        left join locked k on k.id = a.id and h.started_id is null
        where (w.event_types is null or h.type = any(w.event_types))
          and (h.status is null or k.status is distinct from h.status)
        order by h.position, h.ordinal
      )`,
    );
  }
  if (has('charges')) {
    // In the order of their ids, so that two commits with a common ancestor never deadlock.
    parts.push(
      `charged as (
        insert into execution_usage as u (
          execution_id, tenant_id, input_tokens, output_tokens, cost_usd
        )
        select chain.id, max(a.tenant_id), sum(c.input_tokens), sum(c.output_tokens),
          sum(c.cost_usd)
        from ${$.table('charges', 'c')}
        join accepted a on a.position = c.position
        -- The snapshot of the chain misses an execution that this statement creates.
        cross join lateral (
          select a.id
          union
          select above.id
          from execution_chain(a.id) above
        ) chain
        group by chain.id
        order by chain.id
        on conflict (execution_id) do update
        set input_tokens = u.input_tokens + excluded.input_tokens,
          output_tokens = u.output_tokens + excluded.output_tokens,
          cost_usd = u.cost_usd + excluded.cost_usd
      )`,
    );
  }
  // An ended execution has nothing to decide, and no later commit could clear its mark.
  parts.push(
    `marked as (
      insert into runnable (execution_id, shard)
      select a.id, a.shard
      from accepted a
      where a.runnable = 'mark'
        and coalesce(a.status, 'running') in ('running', 'paused')
      order by a.position
      on conflict (execution_id) do nothing
    )`,
    `cleared as (
      delete from runnable r
      where r.execution_id = any(array(
        select a.id
        from accepted a
        where a.runnable = 'clear'
          or a.status in ('completed', 'failed', 'cancelled')
      ))
    )`,
  );
  return parts;
}
