-- works from: 14
-- A lease names the claim that took it, where the worker gave one, so that a repeated claim finds it. It has no
-- index, which every claim would have to maintain: only a worker that lost an answer asks.
alter table work_leases add column claim_id uuid;
