-- works from: 14
-- Tags of keys stay exact while several processes start many executions at once. A commit of a hundred items holds the
-- lock of their key for longer than the 20 ms that `tag_fair_item` waited, and eight of them follow each other. Statements queue
-- the items of several keys in the order of the keys, so they don't wait for each other in a circle. Those of older
-- processes do not, and wait as before.
-- The function is that of 0049_fair_queues.sql, with this line changed.
do $migration$
declare
  body constant text := pg_get_functiondef('tag_fair_item()'::regprocedure);
  wait constant text := 'interval ''20 milliseconds''';
begin
  if strpos(body, wait) = 0 then
    raise exception 'tag_fair_item() has no wait of 20 ms: restore the function of 0049_fair_queues.sql first';
  end if;
  execute replace(body, wait, format($wait$case
      when current_setting('svc.queues_in_order', true) = 'on' then interval '500 milliseconds'
      else %s
    end$wait$, wait));
end
$migration$;
