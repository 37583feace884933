-- For a commit that was carried out before it was judged and does not hold: the server rolls it
-- back and the client sends it again to be judged. Takes no lock.
create function refuse_outright() returns boolean
language plpgsql
as $$
begin
  raise exception 'a commit of this batch does not hold' using errcode = 'SV001';
end
$$;
