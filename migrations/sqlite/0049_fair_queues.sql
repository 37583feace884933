-- works from: 14
-- Fairness between keys. An item with a key is on a queue beside that of its workers, whose key ends with `~`. There it
-- has a tag instead of an age: a number below 0, see `src/shared/domain/work/fair-queue.ts`.

-- The last item of each key. Items without a key write nothing here.
create index work_queue_shares on work_queue (
  queue_key,
  substr(
    substr(queue_name, instr(queue_name, '~') + 1),
    1,
    instr(substr(queue_name, instr(queue_name, '~') + 1), '~') - 1
  ),
  priority,
  seq
)
  where instr(queue_key, '~') > 0;
