-- What models have used, by execution: its own calls and those of its descendants, written by the
-- transaction that records the call. Budgets are judged by it.
create table execution_usage (
  execution_id text not null primary key,
  tenant_id text not null,
  input_tokens integer not null check (input_tokens >= 0),
  output_tokens integer not null check (output_tokens >= 0),
  -- US dollars, of the calls whose price is known.
  cost_usd real not null check (cost_usd >= 0)
) strict, without rowid;
