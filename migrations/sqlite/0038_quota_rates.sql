-- works from: 14
-- Rates of tools: see 0037_quotas.sql for how items wait. A bucket without a row is full.
create table quota_buckets (
  bucket_key text primary key,
  tenant_id text not null,
  -- When the bucket is full if nothing more is taken from it. In microseconds since the epoch.
  full_at_us integer not null
) strict, without rowid;
