-- works from: 14
-- Limits for the executions of the workflow that wait, of all its versions, while this is the definition that is
-- registered last. Null: an older release registered it, and each wait has the limits in force when it began to wait.
alter table definitions add column places_max integer check (places_max >= 1);
alter table definitions add column interval_us integer check (interval_us >= 1);
alter table definitions add column burst integer check (burst >= 1);

-- A changed rate moves the buckets of its workflow once. An empty one stays empty: the next token comes after one
-- interval of the new rate. One with tokens keeps them, up to the new burst. A full one stays full.
create trigger definitions_rescale_start_buckets after insert on definitions
when new.interval_us is not null begin
  update quota_buckets
  set full_at_us = new.created_at * 1000 + new.interval_us * (
    -- Without the last rate, the bucket has no fewer than 0 tokens.
    new.burst - max(0, min(new.burst, coalesce(
      last.burst - (full_at_us - new.created_at * 1000 + last.interval_us - 1) / last.interval_us,
      new.burst - (full_at_us - new.created_at * 1000 + new.interval_us - 1) / new.interval_us
    )))
  )
  from (
    select max(d.interval_us) as interval_us, max(d.burst) as burst
    from (
      select interval_us, burst
      from definitions
      where tenant_id = new.tenant_id and workflow_id = new.workflow_id and seq < new.seq
      order by seq desc
      limit 1
    ) d
  ) last
  where tenant_id = new.tenant_id
    and substr(
      bucket_key,
      1,
      length(new.tenant_id || '/start#[' || json_quote(new.workflow_id) || ',')
    ) = new.tenant_id || '/start#[' || json_quote(new.workflow_id) || ','
    -- Those of rates that starts brought have a name of their own.
    and substr(bucket_key, -16) <> ',"start","rate"]'
    and full_at_us > new.created_at * 1000
    and (last.interval_us, last.burst) is not (new.interval_us, new.burst);
end;
