-- works from: 14
-- Fairness between keys. An item with a key is on a queue beside that of its workers, whose key ends with `~`. There it
-- has a tag instead of an age: a number below 0, see `src/shared/domain/work/fair-queue.ts`.

-- The last item of each key. Items without a key write nothing here.
create index work_queue_shares on work_queue (queue_key, split_part(queue_name, '~', 2), priority, seq)
  where strpos(queue_key, '~') > 0;

-- Gives an item its tag. Each statement after the lock has a snapshot of its own, and sees the items that the
-- statement of the trigger has added before. The lock keeps two commits from giving one tag to items of one key. It
-- is never waited for long: 20 ms after its statement began, the key may get some more items in a turn, and
-- nothing else.
do $migration$
declare
  function constant text := $function$
create function public.tag_fair_item() returns trigger
language plpgsql
volatile
set search_path = public, pg_temp
as $$
declare
  share constant text := split_part(new.queue_name, '~', 2);
  weight constant float8 := split_part(split_part(new.queue_name, '#', 1), '~', 3);
  before bigint;
begin
  new.queue_key := split_part(new.queue_key, '~', 1) || '~';
  -- It returns to its place.
  if new.seq < 0 then
    return new;
  end if;

  while not pg_try_advisory_xact_lock(hashtextextended(new.queue_key || share, 45)) loop
    exit when clock_timestamp() >= statement_timestamp() + interval '20 milliseconds';
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
  end if;

  new.seq := coalesce(before, -4503599627370496) + ceil(65536 / weight)::bigint;
  return new;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger tag_fair_item before insert or update of queue_key on work_queue
  for each row when (strpos(new.queue_key, '~') > 0 and strpos(new.queue_key, '#') = 0)
  execute function tag_fair_item();
