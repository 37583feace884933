-- Fences stay unique where the database goes back to an earlier moment: restored from a backup, or
-- taken over by a standby that had not heard of everything. What was lost may have handed out fences
-- that its sequence has forgotten, and workers still hold them.
--
-- Whatever brings an earlier moment back also brings a server that was started since, or another
-- file of the sequence (a dump, a copy). `fence_epoch_seq` keeps which of them fences were last drawn
-- for. On another they go on from the server's clock, at 2^20 for a second: ahead of all that were
-- drawn before at less than a million a second, and below the bound until the year 2242.
create sequence fence_epoch_seq as bigint minvalue 0 start 0;

create function fence_epoch() returns bigint
language sql
stable
as $$
  select hashtextextended(
    pg_relation_filepath('lease_fence_seq'),
    (date_part('epoch', pg_postmaster_start_time()) * 1000000)::bigint
  ) & 9223372036854775807
$$;

-- Sequences, as a row would stay locked until the transaction ends, and be taken back with it. With
-- the rights of the owner: whoever may draw fences may not set them.
create function raise_fences() returns boolean
language plpgsql
security definer
set search_path from current
as $$
begin
  -- A key of this function alone, held for two calls; those who come later find it done.
  perform pg_advisory_lock(1937138481, 0);
  if pg_sequence_last_value('fence_epoch_seq') is distinct from fence_epoch() then
    perform setval('lease_fence_seq', greatest(
      coalesce(pg_sequence_last_value('lease_fence_seq'), 1),
      floor(extract(epoch from clock_timestamp()) * 1048576)::bigint
    ));
    perform setval('fence_epoch_seq', fence_epoch());
  end if;
  perform pg_advisory_unlock(1937138481, 0);
  return true;
end
$$;

-- Asked by each statement that draws fences, before the first; always true. Inlined, so that it costs
-- next to nothing.
create function fences_are_ahead() returns boolean
language sql
volatile
as $$
  select case
    when pg_sequence_last_value('fence_epoch_seq') = fence_epoch() then true
    else raise_fences()
  end
$$;
