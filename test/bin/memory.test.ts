import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';

import type { TenantId } from '../../src/shared/domain/ids.ts';
import { openKeyFile } from '../../src/shared/security/key-file.ts';
import { createSecretBox, idOfKey } from '../../src/shared/security/secret-box.ts';
import type { SecretBox } from '../../src/shared/ports/secret-box.ts';
import {
  openWebhookSecret,
  sealWebhookSecret,
} from '../../src/shared/engine/webhooks/webhook-secret.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { createTestDatabase, type Dialect, type TestDatabase } from '../support/database.ts';
import { sqlitePath } from '../support/stores.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const [KEPT, LOST] = [
  '0197f2a4-c1d2-7c3e-8b8f-2f9a6d1e4c01',
  '0197f2a4-c1d2-7c3e-8b8f-2f9a6d1e4c02',
];
const TENANTS = ['acme', 'beta', 'gamma'] as TenantId[];

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: configured keys are rotated, and one that nothing opens is named`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const [older, newer, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    await withStore({ dialect, database }, async (store) => {
      for (const tenantId of TENANTS) await seal(store, { tenantId, box: boxOf(older) });
      await addWebhook(store, { webhookId: KEPT, box: boxOf(older) });
      await addWebhook(store, { webhookId: LOST, box: boxOf(lost) });
    });
    const rotate = () =>
      runSvc(['memory', 'rotate-key', '-o', 'json', '--database-url', database.url], {
        cwd: folder.path,
        env: {
          SVC_ENCRYPTION_KEY: newer.toString('base64'),
          SVC_MEMORY_PREVIOUS_ENCRYPTION_KEYS: `${randomBytes(32).toString('base64')}, ${older.toString('base64')}`,
        },
      });

    const first = await rotate();
    t.is(first.code, 1);
    t.regex(first.stderr, /no known key decrypts the secrets of webhooks/);
    t.deepEqual(JSON.parse(first.stdout), {
      resealed: 3,
      current: 0,
      unreadable: [],
      webhooks: { resealed: 1, current: 0, unreadable: [LOST] },
    });
    await withStore({ dialect, database }, async (store) => {
      for (const tenantId of TENANTS) {
        const sealed = (await store.memory.readSettings(tenantId))?.key ?? null;
        t.is(sealed?.keyId, idOfKey(newer));
        t.is(sealed && boxOf(newer).open({ tenantId, sealed }), `sk-of-${tenantId}`);
      }
      await seal(store, { tenantId: TENANTS[1] ?? ('' as TenantId), box: boxOf(lost) });
      const webhooks = await store.webhooks.listSealed({ after: null, limit: 9 });
      const opened = webhooks.map((webhook) => openWebhookSecret(boxOf(newer), webhook));
      t.deepEqual(opened, [SECRET, null]);
    });

    const second = await rotate();
    t.is(second.code, 1);
    t.deepEqual(JSON.parse(second.stdout), {
      resealed: 0,
      current: 2,
      unreadable: ['beta'],
      webhooks: { resealed: 0, current: 1, unreadable: [LOST] },
    });
    t.regex(second.stderr, /no known key decrypts the provider keys of beta/);
    t.false(/sk-of/.test(first.stdout + first.stderr + second.stdout + second.stderr));
  });
}

test('sqlite: a key file gains a key, and everything is sealed with it', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const path = join(dirname(sqlitePath(database.url)), 'encryption.key');
  const box = createSecretBox({ keys: openKeyFile({ path, randomBytes }), randomBytes });
  const [tenantId = '' as TenantId] = TENANTS;
  await withStore({ dialect: 'sqlite', database }, (store) => seal(store, { tenantId, box }));
  const before = box.currentKeyId();

  const rotated = await runSvc(['memory', 'rotate-key', '--database-url', database.url], {
    cwd: folder.path,
  });
  t.is(rotated.code, 0, rotated.stderr);
  t.regex(rotated.stdout, /^provider keys: 1 encrypted again, 0 already used this key\n/);
  t.true(existsSync(path));
  t.is(statSync(path).mode & 0o777, 0o600);
  t.is(readFileSync(path, 'utf8').split('\n').length, 3);
  t.not(box.currentKeyId(), before);
  // A process that has opened the file before reads the new key without a restart.
  await withStore({ dialect: 'sqlite', database }, async (store) => {
    const sealed = (await store.memory.readSettings(tenantId))?.key ?? null;
    t.is(sealed?.keyId, box.currentKeyId() ?? '');
    t.is(sealed && box.open({ tenantId, sealed }), `sk-of-${tenantId}`);
  });
});

test('postgres: without a key there is nothing to rotate to', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const args = ['memory', 'rotate-key', '--database-url', database.url];
  const { code, stderr } = await runSvc(args, { cwd: folder.path });
  t.is(code, 2);
  t.regex(stderr, /set SVC_ENCRYPTION_KEY to 32 random bytes in base64/);
});

test('keys that are none are refused, and not shown', async (t) => {
  const args = ['memory', 'rotate-key', '--database-url', 'postgres://127.0.0.1:1/x'];
  const { code, stderr } = await runSvc(args, {
    cwd: folder.path,
    env: {
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SVC_MEMORY_PREVIOUS_ENCRYPTION_KEYS: 'canary',
    },
  });
  t.is(code, 2);
  t.regex(stderr, /memory\.previous_encryption_keys: found another value/);
  t.false(stderr.includes('canary'));
});

function boxOf(key: Uint8Array): SecretBox {
  return createSecretBox({ keys: { all: () => [key], newest: () => key }, randomBytes });
}

async function addWebhook(
  store: Store,
  of: { readonly webhookId: string; readonly box: SecretBox },
): Promise<void> {
  const [tenantId = '' as TenantId] = TENANTS;
  const { webhookId, box } = of;
  await store.webhooks.create({
    webhookId,
    tenantId,
    url: 'https://hooks.example/',
    eventTypes: null,
    secret: sealWebhookSecret(box, { webhookId, tenantId, secret: SECRET }),
    actorId: 'token:test',
    webhooksMax: 9,
  });
}

async function seal(
  store: Store,
  given: { readonly tenantId: TenantId; readonly box: SecretBox },
): Promise<void> {
  const { tenantId, box } = given;
  const key = box.seal({ tenantId, secret: `sk-of-${tenantId}` });
  await store.memory.saveSettings({
    tenantId,
    provider: 'openai',
    key,
    enabled: true,
    actorId: 'token:ci',
  });
}

async function withStore(
  { dialect, database }: { readonly dialect: Dialect; readonly database: TestDatabase },
  use: (store: Store) => Promise<void>,
): Promise<void> {
  const { url } = database;
  const store = await openStore({
    database:
      dialect === 'sqlite'
        ? { dialect, path: sqlitePath(url) }
        : { dialect, url, poolSize: 1, maxOverflow: 0 },
    applicationName: 'svc-test',
  });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
