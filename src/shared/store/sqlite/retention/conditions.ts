/** Whether nothing needs the execution `e` any more, regardless of the policies. */
export const MAY_BE_RETIRED = `
  e.status in ('completed', 'failed', 'cancelled')
  -- So long an Idempotency-Key counts, and longer than a message to a webhook is tried.
  and e.completed_at <= :now - 86400000
  and not exists (
    select 1
    from executions as c
    where c.parent_execution_id = e.id
      and c.status in ('running', 'paused')
  )
  and not exists (select 1 from timers as t where t.execution_id = e.id)
  and not exists (
    select 1
    from webhook_deliveries as d
    where d.execution_id = e.id
      and d.status = 'pending'
  )
  -- A fire that was never settled is started again under the same id.
  and not exists (
    select 1
    from schedules as s
    where s.tenant_id = e.tenant_id
      and s.starting_fire_at <= :now - 86400000
  )
  and not exists (
    select 1
    from events as v
    where v.execution_id = e.id
      and v.created_at >= :sealed_until
  )`;

/**
 * The run that `e` continues, or the execution that it retries, while that exists. The id of a
 * retry is derived from the other's: if the retry were removed first, the same execution could be
 * retried a second time.
 */
export const EARLIER_RUN = `(
  select b.id
  from events as v
  join executions as b on b.id = coalesce(
    v.payload ->> 'continued_from',
    v.payload ->> '$.retried_from.execution_id'
  )
  where v.execution_id = e.id
    and v.sequence = 1
)`;

/** The run that continues `e`. */
export const NEXT_RUN = `(
  select v.payload ->> 'continued_as'
  from events as v
  where v.execution_id = e.id
    and v.sequence = e.last_sequence
)`;
