/**
 * The waits, with the limits in force: those of the definition of the workflow that is registered last. So they
 * count for all that wait, also for one whose start commits at the same moment. Batches keep their size, because
 * their executions read the limits when they close, and a debounce lets one begin. Limits that the starts brought stay.
 */
export const LIMITED_WAITS = `(
  select w.execution_id, w.tenant_id, w.place_key, w.seq, w.shard, w.since, w.places_key,
    w.bucket_key, w.cancels_oldest, w.batch_bytes, w.due_at,
    case
      when w.places_max is null or w.due_at is not null or w.keeps_limit then w.places_max
      else coalesce(d.places_max, w.places_max)
    end as places_max,
    case when w.keeps_rate then w.interval_us else coalesce(d.interval_us, w.interval_us) end as interval_us,
    case when w.keeps_rate then w.burst else coalesce(d.burst, w.burst) end as burst
  from flow_waits w
  left join lateral (
    select l.places_max, l.interval_us, l.burst
    from definitions l
    where l.tenant_id = w.tenant_id
      and l.workflow_id = w.place_key::json ->> 0
    order by l.seq desc
    limit 1
  ) d on true
)`;
