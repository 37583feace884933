/** The waits, with the limits in force: see `LIMITED_WAITS` of PostgreSQL. */
export const LIMITED_WAITS = `(
  select w.execution_id, w.tenant_id, w.place_key, w.seq, w.since, w.places_key, w.bucket_key,
    w.cancels_oldest, w.batch_bytes, w.due_at,
    case
      when w.places_max is null or w.due_at is not null or w.keeps_limit = 1 then w.places_max
      else coalesce(d.places_max, w.places_max)
    end as places_max,
    case when w.keeps_rate = 1 then w.interval_us else coalesce(d.interval_us, w.interval_us) end as interval_us,
    case when w.keeps_rate = 1 then w.burst else coalesce(d.burst, w.burst) end as burst
  from flow_waits w
  left join definitions d on d.seq = (
    select l.seq
    from definitions l
    where l.tenant_id = w.tenant_id and l.workflow_id = w.place_key ->> 0
    order by l.seq desc
    limit 1
  )
)`;
