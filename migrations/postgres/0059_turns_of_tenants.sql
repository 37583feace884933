-- works from: 14
-- The queue of the engine serves all tenants, which take turns there: the next items of each. Items of workers write
-- nothing here.
create index work_queue_of_engine on work_queue (tenant_id, priority, seq)
  where queue_key = 'engine';
