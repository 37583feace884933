import test from 'ava';
import type pg from 'pg';

import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { importingOf, makeDocument } from '../../../support/imports.ts';
import { claimOne, commitOne, settleOf, start, startWithItems } from '../contract/drive.ts';
import {
  makeCompleted,
  makeItem,
  makeKey,
  makePlan,
  makeTicket,
  makeTimer,
  makeUuid,
} from '../contract/make.ts';
import { connectRaw } from './raw-client.ts';
import { createRuntimeRole, type RuntimeRole } from './runtime-role.ts';

let database: TestDatabase;
let owner: pg.Client;
let role: RuntimeRole;
let store: Store;

test.before(async () => {
  database = await createTestDatabase();
  owner = await connectRaw(database.url);
  role = await createRuntimeRole(database.url);
  store = await openPostgresStore({ url: role.url });
});

test.after.always(async () => {
  await store.close();
  await role.drop();
  await owner.end();
  await database.drop();
});

test('every table that belongs to tenants has its rows secured', async (t) => {
  const { rows } = await owner.query<{ readonly name: string; readonly secured: boolean }>(
    `select c.relname as name, c.relrowsecurity as secured
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public'
       and c.relkind = 'r'
       -- Migrations, and the windows that are sealed over all tenants.
       and c.relname not in ('schema_migrations', 'audit_windows')
     order by 1`,
  );
  t.true(rows.length > 15);
  t.deepEqual(
    rows.filter(({ secured }) => !secured).map(({ name }) => name),
    [],
  );
});

test('a role that owns nothing imports by the function alone, and takes nothing back', async (t) => {
  const tenantId = await fill();
  const importing = importingOf(makeDocument(), tenantId);
  t.is(await store.imports.add(importing), 'imported');
  await withScope(tenantId, async (client) => {
    for (const statement of [
      `insert into imported_executions (
         import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256, event_hashes
       )
       select gen_random_uuid(), e.id, e.tenant_id, 'token:x', now(), repeat('a', 64), ''
       from executions e`,
      `update imported_executions set imported_by = 'token:x'`,
      'delete from imported_executions',
      'delete from events',
    ]) {
      await t.throwsAsync(client.query(statement), { message: /is refused/ }, statement);
    }
  });
});

test('a query without any condition sees the rows of its tenant alone', async (t) => {
  const [one, other] = [await fill(), await fill()];
  for (const tenantId of [one, other]) {
    await withScope(tenantId, async (client) => {
      for (const table of TABLES) {
        const { rows } = await client.query<{ readonly tenant: string }>(
          `select ${tenantOf(table)} as tenant from ${table} t`,
        );
        t.true(rows.length > 0, `${table} is empty`);
        t.deepEqual([...new Set(rows.map(({ tenant }) => tenant))], [tenantId], table);
      }
    });
  }
});

test('without a tenant no row is seen', async (t) => {
  await fill();
  await withScope(null, async (client) => {
    for (const table of TABLES) {
      const { rows } = await client.query(`select 1 from ${table}`);
      t.is(rows.length, 0, table);
    }
  });
});

test('no row of another tenant is written, changed or deleted', async (t) => {
  const [one, other] = [await fill(), await fill()];
  await withScope(one, async (client) => {
    for (const table of TABLES) {
      const deleted = await client.query(`delete from ${table} t where ${tenantOf(table)} = $1`, [
        other,
      ]);
      t.is(deleted.rowCount, 0, table);
    }
    await t.throwsAsync(
      client.query(`update executions set tenant_id = $1 where tenant_id = $2`, [other, one]),
      { message: /row-level security/ },
    );
    await t.throwsAsync(
      client.query(
        `insert into tokens (token_id, tenant_id, name, role, hash, created_at)
         values ($1, $2, 'x', 'operator', $3, now())`,
        [makeUuid(), other, makeKey()],
      ),
      { message: /row-level security/ },
    );
  });
});

test('readings of one tenant after another each see their own', async (t) => {
  const tenants = [await fill(), await fill(), await fill()];
  const list = async (tenantId: TenantId) => {
    const page = { tenantId, limit: 100, offset: 0 };
    const rows = [
      await store.tokens.list(page),
      await store.definitions.list({ ...page, workflowId: null }),
      await store.executions.list({
        ...page,
        status: null,
        workflowId: null,
        createdAfter: null,
        createdBefore: null,
        cursor: null,
      }),
    ];
    return rows.flat();
  };
  const rounds = Array.from({ length: 10 }, () => tenants).flat();
  const found = await Promise.all(rounds.map(list));
  found.forEach((rows, index) => {
    t.true(rows.length >= 3);
    t.true(rows.every(({ tenantId }) => tenantId === rounds[index]));
  });
});

/** The tables in which every tenant of `fill` has rows. */
const TABLES = [
  'tenants',
  'tokens',
  'definitions',
  'executions',
  'events',
  'snapshots',
  'runnable',
  'work_items',
  'work_queue',
  'work_leases',
  'retry_timers',
  'timers',
  'recorded_outputs',
  'request_keys',
  'audit_log',
  'artifacts',
  'artifact_uploads',
  'artifact_chunks',
] as const;

function tenantOf(table: (typeof TABLES)[number]): string {
  if (table === 'tenants') return 't.id';
  return ['events', 'snapshots', 'runnable', 'recorded_outputs'].includes(table)
    ? '(select e.tenant_id from executions e where e.id = t.execution_id)'
    : 't.tenant_id';
}

/** Adds rows of every kind, through the store, as the role that owns nothing. */
async function fill(): Promise<TenantId> {
  const { tickets: _, ...execution } = await startWithItems(store, [{}, {}, {}]);
  const { tenantId } = execution;
  await store.tenants.create({ tenantId, name: 'filled', actorId: 'token:ci' });
  await store.tokens.create({
    tokenId: makeUuid(),
    tenantId,
    name: 'ci',
    role: 'viewer',
    hash: makeKey(),
    expiresInMs: null,
    actorId: 'token:ci',
  });
  await store.definitions.register({
    definitionId: makeUuid() as Parameters<Store['definitions']['find']>[0],
    tenantId,
    workflowId: 'greet',
    version: '1',
    irHash: 'hash',
    ir: {},
    actorId: 'token:ci',
    workflowsMax: 5,
  });
  const unfenced = await claimOne(store, tenantId, { limit: 1 });
  await store.work.settleUnfenced({
    workItemId: unfenced.ticket.workItemId,
    tenantId,
    record: { output: 'done', statePatch: {} },
    deadLetter: null,
  });
  const leased = await claimOne(store, tenantId, { limit: 1 });
  await commitOne(
    store,
    makePlan(execution, {
      settles: [settleOf(leased)],
      events: [makeCompleted('done')],
      newItems: [makeItem(makeTicket(execution))],
      bornLeased: [
        { ticket: makeTicket(execution, { queue: 'engine' }), leaseTo: 'w', leaseMs: 30_000 },
      ],
      retries: [{ ticket: makeTicket(execution, { attempt: 1 }), delayMs: 60_000, released: null }],
      startsTimers: [makeTimer({ when: { delayMs: 60_000 } })],
      snapshot: '{}',
      runnable: 'mark',
    }),
  );
  for (const isWhole of [true, false]) {
    const upload = { uploadId: makeUuid(), tenantId };
    await store.artifacts.append({ ...upload, position: 0, content: Uint8Array.of(1) });
    const content = { hash: makeKey(), size: 1, contentType: 'a/b', actorId: 'token:ci' };
    if (isWhole) await store.artifacts.finish({ ...upload, ...content });
  }
  await start(store, { tenantId, create: { request: { key: makeUuid(), bodyHash: 'h' } } });
  return tenantId;
}

async function withScope(
  tenantId: TenantId | null,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = await connectRaw(role.url);
  try {
    if (tenantId !== null)
      await client.query(`select set_config('svc.tenant', $1, false)`, [tenantId]);
    await use(client);
  } finally {
    await client.end();
  }
}

test('rows around an execution are read as its tenant sees them, an installation as a whole', async (t) => {
  const [own, other] = [await startWithItems(store, [{}]), await startWithItems(store, [{}])];
  const { executionId, tenantId } = own;
  const [workItemId] = own.tickets.map((ticket) => ticket.workItemId);
  const asked = { executionId, workItemIds: workItemId === undefined ? [] : [workItemId] };
  const facts = await store.diagnosis.executionFacts({ ...asked, tenantId, timerNames: [] });
  t.like(facts?.items.values().next().value, { is: 'queued', position: 1 });
  const foreign = { ...asked, tenantId: other.tenantId, timerNames: [] };
  t.is(await store.diagnosis.executionFacts(foreign), null);
  const { queues } = await store.diagnosis.installationFacts({ limit: 10_000 });
  const tenants = new Set(queues.map((queue) => queue.tenantId));
  t.true(tenants.has(tenantId) && tenants.has(other.tenantId));
  const server = await store.diagnosis.serverFacts({ checkedBytesMax: 0 });
  t.false(server.dialect === 'postgres' && server.seesAllSessions);
});
