-- Webhooks: where a tenant wants to be told, and what it is to be told. A message is written by the
-- transaction that makes it true, and kept as the log of its delivery.
create table webhooks (
  webhook_id text not null primary key,
  tenant_id text not null,
  url text not null,
  -- JSON; null: all there are.
  event_types text,
  -- Sealed: it signs the messages, so a hash would not do.
  secret text not null,
  status text not null check (status in ('active', 'disabled')),
  created_at integer not null
) strict;

create index webhooks_by_tenant on webhooks (tenant_id, created_at desc, webhook_id desc);

create table webhook_deliveries (
  -- Order of the commits; always above all rows that are there.
  seq integer primary key,
  delivery_id text not null unique,
  webhook_id text not null,
  tenant_id text not null,
  execution_id text not null,
  event_type text not null,
  data text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null check (attempts >= 0),
  -- While an attempt is under way: when it counts as lost.
  next_attempt_at integer,
  last_status integer,
  last_error text,
  created_at integer not null,
  ended_at integer,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (ended_at is null))
) strict;

create index webhook_deliveries_by_age on webhook_deliveries (webhook_id, seq desc);
create index webhook_deliveries_by_due on webhook_deliveries (next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_execution on webhook_deliveries (execution_id, webhook_id, seq)
  where status = 'pending';
create index webhook_deliveries_by_end on webhook_deliveries (ended_at)
  where status <> 'pending';
