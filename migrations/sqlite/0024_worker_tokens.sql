-- works from: 14
-- Tokens of the role `worker`. Programs that do not know it refuse such a token. SQLite changes no
-- constraint of a table, so this one is made anew.
create table tokens_with_workers (
  token_id text not null primary key,
  tenant_id text not null,
  name text not null,
  role text not null check (role in ('operator', 'developer', 'reviewer', 'viewer', 'worker')),
  -- Lowercase hex SHA-256 of the plaintext, which is kept nowhere.
  hash text not null unique check (length(hash) = 64 and hash not glob '*[^0-9a-f]*'),
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  replaced_by text
) strict;

insert into tokens_with_workers (
  token_id, tenant_id, name, role, hash, created_at, expires_at, revoked_at, last_used_at, replaced_by
)
select
  token_id, tenant_id, name, role, hash, created_at, expires_at, revoked_at, last_used_at, replaced_by
from tokens;

drop table tokens;
alter table tokens_with_workers rename to tokens;

create index tokens_by_tenant on tokens (tenant_id, created_at desc, token_id desc);
