-- works from: 14
-- Limits for the executions of the workflow that wait, of all its versions, while this is the definition that is
-- registered last. Null: an older release registered it, and each wait has the limits in force when it began to wait.
alter table definitions add column places_max int check (places_max >= 1);
alter table definitions add column interval_us bigint check (interval_us >= 1);
alter table definitions add column burst int check (burst >= 1);

-- A changed rate moves the buckets of its workflow once. An empty one stays empty: the next token comes after one
-- interval of the new rate. One with tokens keeps them, up to the new burst. A full one stays full. The lock comes
-- first and each statement reads after it: an admission, which shares the lock, sees the old rate and the old buckets,
-- or the new ones.
do $migration$
declare
  function constant text := $function$
create function public.rescale_start_buckets() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
declare
  now_us bigint;
  last_interval_us bigint;
  last_burst int;
begin
  perform pg_advisory_xact_lock(hashtextextended(new.tenant_id || '/' || new.workflow_id, 56));
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  if exists (
    select
    from public.definitions d
    where d.tenant_id = new.tenant_id
      and d.workflow_id = new.workflow_id
      and d.seq > new.seq
  ) then
    return null;
  end if;
  select d.interval_us, d.burst
  into last_interval_us, last_burst
  from public.definitions d
  where d.tenant_id = new.tenant_id
    and d.workflow_id = new.workflow_id
    and d.seq < new.seq
  order by d.seq desc
  limit 1;
  if last_interval_us = new.interval_us and last_burst = new.burst then
    return null;
  end if;
  update public.quota_buckets b
  set full_at_us = now_us + new.interval_us * (
    -- Without the last rate, the bucket has no fewer than 0 tokens.
    new.burst - greatest(0, least(new.burst, coalesce(
      last_burst - (b.full_at_us - now_us + last_interval_us - 1) / last_interval_us,
      new.burst - (b.full_at_us - now_us + new.interval_us - 1) / new.interval_us
    )))
  )
  where b.tenant_id = new.tenant_id
    and starts_with(
      b.bucket_key,
      new.tenant_id || '/start#[' || to_json(new.workflow_id)::text || ','
    )
    -- Those of rates that starts brought have a name of their own.
    and right(b.bucket_key, 16) <> ',"start","rate"]'
    and b.full_at_us > now_us;
  return null;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger rescale_start_buckets
  after insert on definitions
  for each row
  when (new.interval_us is not null)
  execute function rescale_start_buckets();

-- The admission reads the limits in force under that lock. The function is that of 0052_buckets_of_raised_rates.sql. Its
-- bound is for rates that no registration moves: starts bring different ones for one bucket.
do $migration$
declare
  body text := pg_get_functiondef(
    'admit_flow_at_rate(text, text, text, int, text, bigint, int)'::regprocedure
  );
  own_schema constant text := quote_ident(current_schema()) || '.';
  change record;
begin
  for change in
    select c.line, c.lines
    from (values
      (
        'now_us bigint;',
        $lines$now_us bigint;
  in_force record;
  keeps record;$lines$
      ),
      (
        'perform pg_advisory_xact_lock(hashtextextended(bucket, 38));',
        $lines$perform pg_advisory_xact_lock_shared(
    hashtextextended(tenant || '/' || (line::json ->> 0), 56)
  );
  perform pg_advisory_xact_lock(hashtextextended(bucket, 38));
  -- All executions of a line keep the limits that their starts brought, or none does.
  select w.keeps_limit as limits, w.keeps_rate as rate
  into keeps
  from public.flow_waits w
  where w.tenant_id = tenant
    and w.place_key = line
  limit 1;
  select case when not keeps.limits then d.places_max end as places_max,
    case when not keeps.rate then d.interval_us end as interval_us,
    case when not keeps.rate then d.burst end as burst
  into in_force
  from public.definitions d
  where d.tenant_id = tenant
    and d.workflow_id = line::json ->> 0
  order by d.seq desc
  limit 1;
  interval_us := coalesce(in_force.interval_us, interval_us);
  burst := coalesce(in_force.burst, burst);$lines$
      ),
      (
        'select w.places_max
    into places',
        'select coalesce(in_force.places_max, w.places_max)
    into places'
      )
    ) c (line, lines)
  loop
    change.line := replace(change.line, 'public.', own_schema);
    if strpos(body, change.line) = 0 then
      raise exception 'admit_flow_at_rate has no text "%"', change.line;
    end if;
    body := replace(body, change.line, replace(change.lines, 'public.', own_schema));
  end loop;
  execute body;
end
$migration$;
