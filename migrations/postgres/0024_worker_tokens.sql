-- works from: 14
-- Tokens of the role `worker`. Programs that do not know it refuse such a token.
alter table tokens drop constraint tokens_role_check;
alter table tokens add constraint tokens_role_check
  check (role in ('operator', 'developer', 'reviewer', 'viewer', 'worker'));
