import test from 'ava';

import {
  managesTenants,
  missingRole,
  needsToken,
  parseTenantId,
  ROLES,
  type Access,
} from '../../../src/shared/domain/access.ts';
import { DEFAULT_TENANT, type TenantId } from '../../../src/shared/domain/ids.ts';

const CLOSED = { openReady: false, reviewersMayApprove: false };
const OPENED = { openReady: true, reviewersMayApprove: true };

test('the table of roles is the one of the interface document', (t) => {
  const allowed = (access: Access) =>
    ROLES.filter((role) => missingRole({ access, role, rules: CLOSED }) === null);
  t.deepEqual(allowed('read'), ['operator', 'developer', 'reviewer', 'viewer']);
  t.deepEqual(allowed('write'), ['operator', 'developer']);
  t.deepEqual(allowed('approve'), ['operator', 'developer']);
  t.deepEqual(allowed('operate'), ['operator']);
});

test('reviewers approve where that is configured, and write nothing else', (t) => {
  const of = (access: Access) => missingRole({ access, role: 'reviewer', rules: OPENED });
  t.is(of('approve'), null);
  t.is(of('write'), 'developer or operator');
  t.is(missingRole({ access: 'approve', role: 'viewer', rules: OPENED }), 'developer or operator');
});

test('only open routes, and probes where that is configured, need no token', (t) => {
  const tokenless = (rules: typeof CLOSED) =>
    (['open', 'probe', 'read', 'approve', 'write', 'operate'] as const).filter(
      (access) => !needsToken(access, rules),
    );
  t.deepEqual(tokenless(CLOSED), ['open']);
  t.deepEqual(tokenless(OPENED), ['open', 'probe']);
});

test('tenants are managed by operators of the default tenant alone', (t) => {
  const manages = (tenantId: string) =>
    ROLES.filter((role) =>
      managesTenants({ tenantId: tenantId as TenantId, role, tokenName: 'x' }),
    );
  t.deepEqual(manages(DEFAULT_TENANT), ['operator']);
  t.deepEqual(manages('acme'), []);
});

test('tenant ids are lowercase and short', (t) => {
  for (const id of ['a', 'acme', '0-a_b', 'a'.repeat(63)]) t.is(parseTenantId(id), id as TenantId);
  for (const id of ['', '-a', '_a', 'A', 'a b', 'a/b', 'a\n', 'a'.repeat(64)]) {
    t.is(parseTenantId(id), null, JSON.stringify(id));
  }
});
