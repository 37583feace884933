-- works from: 14
-- An item whose key has no other that waits comes before the items that are a whole turn behind the first one. A key that
-- has one item at a time waited behind those, and again behind the next turn: it got one item for two of each other key.
do $migration$
declare
  function constant text := $function$
create or replace function public.tag_fair_item() returns trigger
language plpgsql
volatile
set search_path = public, pg_temp
as $$
declare
  share constant text := split_part(new.queue_name, '~', 2);
  weight constant float8 := split_part(split_part(new.queue_name, '#', 1), '~', 3);
  turn constant bigint := ceil(65536 / weight);
  before bigint;
begin
  new.queue_key := split_part(new.queue_key, '~', 1) || '~';
  -- It returns to its place.
  if new.seq < 0 then
    return new;
  end if;

  while not pg_try_advisory_xact_lock(hashtextextended(new.queue_key || share, 45)) loop
    exit when clock_timestamp() >= statement_timestamp() + case
      when current_setting('svc.queues_in_order', true) = 'on' then interval '500 milliseconds'
      else interval '20 milliseconds'
    end;
    perform pg_sleep(0.001);
  end loop;

  select q.seq
  into before
  from public.work_queue q
  where strpos(q.queue_key, '~') > 0
    and q.queue_key = new.queue_key
    and split_part(q.queue_name, '~', 2) = share
    and q.priority = new.priority
  order by q.seq desc
  limit 1;

  if before is null then
    select q.seq
    into before
    from public.work_queue q
    where q.queue_key = new.queue_key
      and q.priority = new.priority
    order by q.seq
    limit 1;
    before := coalesce(before, -4503599627370496) - (turn + 49) / 50;
  end if;

  new.seq := before + turn;
  return new;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;
