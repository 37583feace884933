import test from 'ava';

import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from '../../../src/shared/config/keys.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { createNamedSecrets, SECRET_PATTERN } from '../../../src/shared/security/named-secrets.ts';

const ENV: Record<string, string | undefined> = {
  SVC_SECRET_SHOP: 'shop-key',
  SVC_SECRET_EMPTY: '',
  ACME_TOKEN: 'acme-key',
  SVC_ENCRYPTION_KEY: 'never',
  DATABASE_URL: 'never',
  SVC_AUTH_API_KEY: 'never',
  PATH: '/bin',
};
const RESERVED = CONFIG_KEY_NAMES.flatMap((key) => [
  ...ownEnvNames(key),
  ...(rowOf(key).fallbackEnv ?? []),
]);
const acme = 'acme' as TenantId;
const other = 'other' as TenantId;

function secrets(...patterns: string[]) {
  return createNamedSecrets({ patterns, env: ENV, reserved: RESERVED });
}

test('a name that a pattern allows gives the value of the environment at that time', (t) => {
  const env = { ...ENV };
  const named = createNamedSecrets({ patterns: ['SVC_SECRET_*'], env, reserved: RESERVED });
  const read = () => named.read({ name: 'SVC_SECRET_SHOP', tenantId: acme });
  t.deepEqual(read(), { ok: true, value: 'shop-key' });
  env['SVC_SECRET_SHOP'] = 'rotated';
  t.deepEqual(read(), { ok: true, value: 'rotated' });
});

test('a name that no pattern allows is refused, set or not, and the answer is the same', (t) => {
  const named = secrets('SVC_SECRET_*');
  for (const name of ['PATH', 'NOT_SET', 'XSVC_SECRET_SHOP', 'SVC_SECRET_SHOP\n', 'svc_secret_a']) {
    const reading = named.read({ name, tenantId: acme });
    t.false(reading.ok, name);
    const problem = reading.ok ? '' : reading.problem;
    t.is(problem.replace(JSON.stringify(name), 'X'), REFUSAL, name);
    t.is(named.refuse({ name, tenantId: acme }), problem);
  }
});

test('the configuration of the service is never handed out', (t) => {
  const named = secrets('*', 'SVC_*', 'DATABASE_URL');
  for (const name of ['SVC_ENCRYPTION_KEY', 'DATABASE_URL', 'SVC_AUTH_API_KEY']) {
    t.false(named.read({ name, tenantId: acme }).ok, name);
  }
  t.true(named.read({ name: 'PATH', tenantId: acme }).ok);
});

test('a pattern behind a tenant is for that tenant alone', (t) => {
  const named = secrets('acme:ACME_*');
  t.deepEqual(named.read({ name: 'ACME_TOKEN', tenantId: acme }), { ok: true, value: 'acme-key' });
  t.false(named.read({ name: 'ACME_TOKEN', tenantId: other }).ok);
});

test('an allowed name that is not set says where to put it', (t) => {
  const reading = secrets('SVC_SECRET_*').read({ name: 'SVC_SECRET_EMPTY', tenantId: acme });
  t.false(reading.ok);
  t.regex(reading.ok ? '' : reading.problem, /"SVC_SECRET_EMPTY" is not set: put it into/);
  t.is(secrets('SVC_SECRET_*').refuse({ name: 'SVC_SECRET_EMPTY', tenantId: acme }), null);
});

test('patterns have only letters, digits, _ and *', (t) => {
  for (const good of ['SVC_SECRET_*', '*_TOKEN', 'acme:KEY', 'a-b_c:*']) {
    t.regex(good, SECRET_PATTERN);
  }
  for (const bad of ['', 'a:', ':A', 'A.B', 'A B', 'Acme:KEY', 'a:b:c', '(A|B)']) {
    t.notRegex(bad, SECRET_PATTERN);
  }
});

const REFUSAL =
  'the secret X may not be used by workflows of this tenant: ' +
  'name one that tools.secrets allows, or have the operator allow it there';
