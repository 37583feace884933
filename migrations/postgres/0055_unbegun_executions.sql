-- works from: 14
-- Executions that have a token of a rate and have not begun: the commit in which they begin removes their mark. Null:
-- the mark is of no admission at a rate.
alter table runnable add column bucket_key text;
alter table runnable add column admitted_at timestamptz;
create index runnable_with_tokens on runnable (bucket_key) where bucket_key is not null;

-- A bucket has no room for tokens that somebody has and did not use. So after the death of a scheduler, or when one
-- is late, no more begin together than the bucket holds. One that cannot begin counts for a minute, and one that waits for
-- its tenant does not count. The function is that of 0054_limits_of_definitions.sql, with these lines changed.
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
        'in_force record;',
        $lines$in_force record;
  unbegun bigint;$lines$
      ),
      (
        'full_us := greatest(now_us, coalesce(full_us, now_us));',
        $lines$select count(*)
  into unbegun
  from public.runnable r
  where r.bucket_key = bucket
    and r.admitted_at > clock_timestamp() - interval '1 minute'
    and not exists (
      select
      from public.child_places c
      where c.execution_id = r.execution_id
        and c.state = 'waiting'
    );
  full_us := greatest(
    now_us + least(unbegun, burst) * interval_us,
    coalesce(full_us, now_us)
  );$lines$
      ),
      (
        $lines$insert into public.runnable (execution_id, shard)
      select s.execution_id, s.shard
      from starting s
      order by s.execution_id
      on conflict (execution_id) do nothing$lines$,
        $lines$insert into public.runnable (execution_id, shard, bucket_key, admitted_at)
      select s.execution_id, s.shard, bucket, clock_timestamp()
      from starting s
      order by s.execution_id
      on conflict (execution_id) do update
        set bucket_key = excluded.bucket_key,
          admitted_at = excluded.admitted_at$lines$
      ),
      (
        'if json_array_length(begun) > 0 then',
        'if json_array_length(begun) > 0 or unbegun > 0 then'
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
