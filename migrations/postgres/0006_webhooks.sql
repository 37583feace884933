-- Webhooks: where a tenant wants to be told, and what it is to be told. A message is written by the
-- transaction that makes it true, and kept as the log of its delivery.
create table webhooks (
  webhook_id uuid primary key,
  tenant_id text not null,
  url text not null,
  -- Null: all there are.
  event_types text[],
  -- Sealed: it signs the messages, so a hash would not do.
  secret text not null,
  status text not null check (status in ('active', 'disabled')),
  created_at timestamptz not null
);

create index webhooks_by_tenant on webhooks (tenant_id, created_at desc, webhook_id desc);

create table webhook_deliveries (
  delivery_id uuid primary key,
  -- Order of the commits of one execution.
  seq bigint generated always as identity unique,
  webhook_id uuid not null,
  tenant_id text not null,
  execution_id uuid not null,
  event_type text not null,
  data json not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null check (attempts >= 0),
  -- While an attempt is under way: when it counts as lost.
  next_attempt_at timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (ended_at is null))
);

create index webhook_deliveries_by_age on webhook_deliveries (webhook_id, seq desc);
create index webhook_deliveries_by_due on webhook_deliveries (next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_execution on webhook_deliveries (execution_id, webhook_id, seq)
  where status = 'pending';
create index webhook_deliveries_by_end on webhook_deliveries (ended_at)
  where status <> 'pending';

-- As for every table of tenants, see the migration before this one.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['webhooks', 'webhook_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;
