-- works from: 14
-- A bucket of starts holds no fewer than 0 tokens. So one that a slow rate has emptied waits for one token of a
-- faster rate, and not for those of the slow one. The function is that of 0040_start_rates.sql, with this line
-- changed. Tools keep their buckets: several rates of one tool may be in use.
do $migration$
declare
  body text := pg_get_functiondef(
    'admit_flow_at_rate(text, text, text, int, text, bigint, int)'::regprocedure
  );
  line constant text := 'full_us := greatest(now_us, coalesce(full_us, now_us));';
  bounded constant text := line || format(
    $lines$
  if full_us > now_us + burst * interval_us then
    full_us := now_us + burst * interval_us;
    update %I.quota_buckets b
    set full_at_us = full_us
    where b.bucket_key = bucket;
  end if;$lines$,
    current_schema()
  );
begin
  if strpos(body, line) = 0 then
    raise exception 'admit_flow_at_rate has no line "%"', line;
  end if;
  execute replace(body, line, bounded);
end
$migration$;
