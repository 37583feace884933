-- works from: 14
-- A tenant that nobody has made is served no longer. So each that has something becomes one that somebody
-- has made, without limits and without a policy, as it was until now.
--
-- Executions, artifacts and audit entries may be many. From each tenant the search goes on to the next by an
-- index, so it reads a few pages for each tenant and not the table.
insert into tenants (id, name)
with recursive of_executions (tenant_id) as (
  (select min(tenant_id) from executions)
  union all
  select (select min(e.tenant_id) from executions e where e.tenant_id > f.tenant_id)
  from of_executions f
  where f.tenant_id is not null
),
of_artifacts (tenant_id) as (
  (select min(tenant_id) from artifacts)
  union all
  select (select min(a.tenant_id) from artifacts a where a.tenant_id > f.tenant_id)
  from of_artifacts f
  where f.tenant_id is not null
),
of_audit_log (tenant_id) as (
  (select min(tenant_id) from audit_log)
  union all
  select (select min(a.tenant_id) from audit_log a where a.tenant_id > f.tenant_id)
  from of_audit_log f
  where f.tenant_id is not null
),
found (tenant_id) as (
  select tenant_id from of_executions
  union
  select tenant_id from of_artifacts
  union
  select tenant_id from of_audit_log
  union
  select tenant_id from tokens
  union
  select tenant_id from definitions
  union
  select tenant_id from agents
  union
  select tenant_id from webhooks
  union
  select tenant_id from schedules
  union
  select tenant_id from memory_settings
  union
  select tenant_id from memory_usage
  union
  select tenant_id from retention_policies
)
select tenant_id, tenant_id
from found
-- No request could ever name another id, and the table refuses it.
where tenant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'
on conflict (id) do nothing;
