import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import {
  createTenantDirectory,
  TENANT_REMEMBER_MS,
} from '../../../../src/shared/engine/tenants/tenant-directory.ts';
import { createWakeBus, tenantTopic } from '../../../../src/shared/engine/wake/wake-bus.ts';
import type { TenantRow } from '../../../../src/shared/store/tenants.ts';

const ID = 'acme' as TenantId;
const ROW: TenantRow = {
  tenantId: ID,
  name: 'Acme',
  status: 'active',
  policy: {},
  limits: { max_workflows: 1 },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

function open(find: () => Promise<TenantRow | null>) {
  let finds = 0;
  let now = 0;
  const bus = createWakeBus();
  const directory = createTenantDirectory({
    tenants: {
      find() {
        finds += 1;
        return find();
      },
    },
    now: () => now,
    wake: bus,
  });
  const hint = async (tenantId: TenantId): Promise<void> => {
    bus.deliver([tenantTopic(tenantId)]);
    await Promise.resolve();
  };
  return { directory, hint, finds: () => finds, pass: (ms: number) => void (now += ms) };
}

test('a hint about a tenant makes the next caller look it up, and one about another does not', async (t) => {
  const { directory, hint, finds } = open(async () => ROW);
  await directory.find(ID);
  await hint('other' as TenantId);
  await directory.find(ID);
  t.is(finds(), 1);
  await hint(ID);
  await directory.find(ID);
  t.is(finds(), 2);
});

test('a tenant is looked up once in a while, however many ask', async (t) => {
  const { directory, finds, pass } = open(async () => ROW);
  await Promise.all(Array.from({ length: 20 }, () => directory.find(ID)));
  t.is(finds(), 1);
  pass(TENANT_REMEMBER_MS - 1);
  t.is(await directory.find(ID), ROW);
  t.is(finds(), 1);
  pass(1);
  await directory.find(ID);
  t.is(finds(), 2);
});

test('the absence of a tenant is never remembered', async (t) => {
  let row: TenantRow | null = null;
  const { directory } = open(async () => row);
  t.is(await directory.find(ID), null);
  t.like(await directory.get(ID), { tenantId: ID, status: 'active', limits: {} });
  row = ROW;
  t.is(await directory.find(ID), ROW);
  t.is(await directory.get(ID), ROW);
});

test('a look-up after a tenant was made never gets an answer from before', async (t) => {
  const before = Promise.withResolvers<null>();
  const answers = [before.promise, Promise.resolve(ROW)];
  const { directory } = open(() => answers.shift() ?? Promise.reject(new Error('asked too often')));
  const early = directory.find(ID);
  const late = directory.find(ID);
  before.resolve(null);
  t.is(await early, null);
  t.is(await late, ROW);
});

test('a look-up that fails is not remembered', async (t) => {
  const answers = [Promise.reject(new Error('gone')), Promise.resolve(ROW)];
  const { directory } = open(() => answers.shift() ?? Promise.reject(new Error('asked too often')));
  await t.throwsAsync(directory.find(ID), { message: 'gone' });
  t.is(await directory.find(ID), ROW);
});
