-- works from: 14
-- Tenants that nobody has made become listed: see the PostgreSQL migration of the same number.
insert into tenants (id, name)
with recursive of_executions (tenant_id) as (
  select min(tenant_id) from executions
  union all
  select (select min(e.tenant_id) from executions e where e.tenant_id > f.tenant_id)
  from of_executions f
  where f.tenant_id is not null
),
of_artifacts (tenant_id) as (
  select min(tenant_id) from artifacts
  union all
  select (select min(a.tenant_id) from artifacts a where a.tenant_id > f.tenant_id)
  from of_artifacts f
  where f.tenant_id is not null
),
of_audit_log (tenant_id) as (
  select min(tenant_id) from audit_log
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
where length(tenant_id) <= 63
  and tenant_id glob '[a-z0-9]*'
  and tenant_id not glob '*[^a-z0-9_-]*'
on conflict (id) do nothing;
