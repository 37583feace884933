import test, { type ExecutionContext } from 'ava';

import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import { auditIdOfEvent } from '../../../../src/shared/domain/audit/audit-item.ts';
import { verifyAudit } from '../../../../src/shared/engine/audit/verify-audit.ts';
import type { AuditStore } from '../../../../src/shared/store/audit.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { eventually } from '../../../support/eventually.ts';
import { changeTable, openTestStore, tamperWith } from '../../../support/stores.ts';
import type { Dialect } from '../../../support/database.ts';
import { atOnce, commitOne, start } from '../../store/contract/drive.ts';
import { makeEvent, makeKey, makePlan, makeTenantId, makeUuid } from '../../store/contract/make.ts';

interface Scene {
  readonly store: Store;
  readonly audit: AuditStore;
  readonly url: string;
  readonly tenantId: TenantId;
  /** Two executions with three events each, in two sealed windows. */
  readonly first: ExecutionId;
  readonly second: ExecutionId;
  /** The last seal of the second window. */
  readonly lastSeal: number;
  /** The item for a token's creation, in the second window. */
  readonly auditId: string;
}

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  const id = (executionId: ExecutionId) =>
    dialect === 'sqlite' ? executionId : executionId.slice('exec_'.length);

  test(`${dialect}: untouched rows are as they were sealed`, async (t) => {
    const { audit, tenantId } = await setScene(t, dialect);
    const all = await verifyAudit(audit, { tenantId: null, expected: null });
    t.like(all, { items: 7, problems: [] });
    t.true(all.windows >= 2);
    const { windowNumber, hash } = all.head;
    const expected = { windowNumber, hash };
    t.deepEqual(await verifyAudit(audit, { tenantId, expected }), all);
    const other = await verifyAudit(audit, { tenantId: makeTenantId(), expected: null });
    t.like(other, { items: 0, problems: [] });
  });

  const ROW_CHANGES = [
    { title: 'an actor', change: `actor_id = 'token:somebody'` },
    { title: 'a kind', change: `kind = 'NodeFailed'` },
    { title: 'a payload', change: `payload = '{"visit": 0}'` },
    { title: 'a node', change: 'node_id = null' },
    {
      title: 'a time by the smallest part',
      change:
        dialect === 'sqlite'
          ? 'created_at = created_at - 1'
          : `created_at = created_at + interval '1 microsecond'`,
    },
  ];
  for (const { title, change } of ROW_CHANGES) {
    test(`${dialect}: ${title} that was changed is found, and the row named`, async (t) => {
      const scene = await setScene(t, dialect);
      const { tenantId, second, url } = scene;
      const where = `execution_id = '${id(second)}' and sequence = 2`;
      await tamperWith(url, 'events', `update events set ${change} where ${where}`);
      t.like(await firstProblem(scene), {
        what: 'row_changed',
        tenantId,
        sealNumber: scene.lastSeal,
        row: { id: auditIdOfEvent(second, 2), executionId: second, sequence: 2 },
      });
    });
  }

  test(`${dialect}: a row that was removed is named`, async (t) => {
    const scene = await setScene(t, dialect);
    const { first, url } = scene;
    const where = `execution_id = '${id(first)}' and sequence = 3`;
    await tamperWith(url, 'events', `delete from events where ${where}`);
    t.like(await firstProblem(scene), {
      what: 'row_removed',
      sealNumber: 1,
      row: { executionId: first, sequence: 3, createdAt: null },
    });
  });

  test(`${dialect}: a managing request that was changed or removed is named`, async (t) => {
    const scene = await setScene(t, dialect);
    const { auditId, url } = scene;
    const row = { id: auditId, executionId: null, sequence: null };
    await tamperWith(url, 'audit_log', `update audit_log set actor_id = 'token:x'`);
    t.like(await firstProblem(scene), { what: 'row_changed', row });
    await tamperWith(url, 'audit_log', 'delete from audit_log');
    t.like(await firstProblem(scene), { what: 'row_removed', row });
  });

  test(`${dialect}: a row added to a sealed window is named`, async (t) => {
    const scene = await setScene(t, dialect);
    const { first, url, tenantId } = scene;
    await tamperWith(
      url,
      'events',
      `insert into events select execution_id, 4, kind, node_id, payload, actor_id, created_at
       from events where execution_id = '${id(first)}' and sequence = 3`,
    );
    t.like(await firstProblem(scene), {
      what: 'row_added',
      tenantId,
      sealNumber: 1,
      row: { executionId: first, sequence: 4 },
    });
  });

  test(`${dialect}: a row of a tenant that had none in a window is named`, async (t) => {
    const scene = await setScene(t, dialect);
    const { auditId, url } = scene;
    const added = makeUuid();
    await tamperWith(
      url,
      'audit_log',
      `insert into audit_log select '${added}', 'late', execution_id, event_type, actor_id, payload,
         created_at
       from audit_log where audit_id = '${auditId}'`,
    );
    t.like(await firstProblem(scene), {
      what: 'row_added',
      tenantId: 'late',
      sealNumber: null,
      row: { id: added },
    });
    const only = await verifyAudit(scene.audit, { tenantId: scene.tenantId, expected: null });
    t.deepEqual(only.problems, []);
  });

  test(`${dialect}: an execution that was given to another tenant is found`, async (t) => {
    const scene = await setScene(t, dialect);
    const { second, url, tenantId } = scene;
    const change = `update executions set tenant_id = 'thief' where id = '${id(second)}'`;
    await changeTable(url)(change);
    t.like(await firstProblem(scene), {
      what: 'row_removed',
      tenantId,
      sealNumber: scene.lastSeal,
    });
  });

  const SEAL_CHANGES = [
    { column: 'members', value: `'[]'`, what: 'row_added' },
    { column: 'members', value: `'nonsense'`, what: 'seal_changed' },
    { column: 'item_count', value: '99', what: 'seal_changed' },
    { column: 'hash', value: `'${'a'.repeat(64)}'`, what: 'seal_changed' },
    { column: 'previous_hash', value: `'${'a'.repeat(64)}'`, what: 'seal_out_of_chain' },
    { column: 'seal_number', value: '7', what: 'seal_out_of_chain' },
  ];
  for (const { column, value, what } of SEAL_CHANGES) {
    test(`${dialect}: a seal whose ${column} became ${value.slice(0, 9)} is found`, async (t) => {
      const scene = await setScene(t, dialect);
      const where = `tenant_id = '${scene.tenantId}' and seal_number = ${scene.lastSeal}`;
      const change = `update audit_seals set ${column} = ${value} where ${where}`;
      await tamperWith(scene.url, 'audit_seals', change);
      t.like(await firstProblem(scene), { what, tenantId: scene.tenantId });
    });
  }

  test(`${dialect}: a seal or a window that was removed is found`, async (t) => {
    const scene = await setScene(t, dialect);
    const { windows, head } = await verifyAudit(scene.audit, { tenantId: null, expected: null });
    await tamperWith(
      scene.url,
      'audit_seals',
      `delete from audit_seals where seal_number = ${scene.lastSeal}`,
    );
    const problem = await firstProblem(scene);
    t.like(problem, { what: 'row_added', sealNumber: null });
    await tamperWith(
      scene.url,
      'audit_windows',
      `delete from audit_windows where window_number >= ${problem?.windowNumber}`,
    );
    // Cutting off the end of a chain leaves no trace in it; only a stored head reveals it.
    t.is(await firstProblem(scene), null);
    const expected = { windowNumber: windows, hash: head.hash };
    const verdict = await verifyAudit(scene.audit, { tenantId: null, expected });
    t.like(verdict.problems[0], { what: 'window_missing', windowNumber: problem?.windowNumber });
  });

  test(`${dialect}: a rebuilt chain does not have the head that was kept`, async (t) => {
    const scene = await setScene(t, dialect);
    const { head } = await verifyAudit(scene.audit, { tenantId: null, expected: null });
    await tamperWith(scene.url, 'audit_seals', 'delete from audit_seals');
    await tamperWith(scene.url, 'audit_windows', 'delete from audit_windows');
    await tamperWith(scene.url, 'events', `update events set actor_id = 'token:nobody'`);
    await sealAll(scene.audit);
    t.is(await firstProblem(scene), null);
    const { windowNumber } = head;
    for (const expected of [head, { windowNumber: 1, hash: makeKey() }]) {
      const verdict = await verifyAudit(scene.audit, { tenantId: null, expected });
      t.is(verdict.problems.length, 1);
    }
    t.true(windowNumber >= 2);
  });

  test(`${dialect}: twenty sealers at once make one chain`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, audit, tenantId } = scene;
    for (let round = 0; round < 5; round += 1) {
      const execution = await start(store, { tenantId });
      await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
      await atOnce(20, () => audit.seal({ itemsMax: 2, lagMs: 0 }));
    }
    await sealAll(audit);
    const verdict = await verifyAudit(audit, { tenantId: null, expected: null });
    t.like(verdict, { items: 15, problems: [] });
  });

  test(`${dialect}: a window holds about as many items as it may`, async (t) => {
    const { store, audit, tenantId } = await openScene(t, dialect);
    for (let index = 0; index < 30; index += 1) await start(store, { tenantId });
    await eventually(async () => {
      const { more } = await audit.seal({ itemsMax: 5, lagMs: 0 });
      if (more || (await countUnsealed(audit)) > 0) throw new Error('there is more to seal');
    });
    const windows = await audit.windows({ after: 0, limit: 100 });
    t.true(windows.length >= 3, `${windows.length} windows`);
    t.like(await verifyAudit(audit, { tenantId: null, expected: null }), {
      items: 30,
      problems: [],
    });
  });

  test(`${dialect}: nothing new is nothing to seal`, async (t) => {
    const { audit } = await setScene(t, dialect);
    const before = await audit.windows({ after: 0, limit: 100 });
    const round = await audit.seal({ itemsMax: 100, lagMs: 0 });
    t.like(round, { items: 0, more: false });
    t.deepEqual(await audit.windows({ after: 0, limit: 100 }), before);
  });

  test(`${dialect}: entries that are not old enough are left for later`, async (t) => {
    const { store, audit, tenantId } = await openScene(t, dialect);
    await start(store, { tenantId });
    const round = await audit.seal({ itemsMax: 100, lagMs: 3_600_000 });
    t.is(round.items, 0);
    t.true((round.behindMs ?? 0) >= 3_600_000);
    await sealAll(audit);
  });
}

test('sqlite: a clock that is set back gives nothing a time that is sealed', async (t) => {
  let now = Date.now();
  const { store, close } = await openTestStore('sqlite', { clock: () => now });
  t.teardown(close);
  const execution = await start(store);
  now += 60_000;
  t.is((await store.audit.seal({ itemsMax: 100, lagMs: 0 })).items, 1);
  const [window] = await store.audit.windows({ after: 0, limit: 1 });
  now -= 3_600_000;
  const { createdAt } = await commitOne(store, makePlan(execution, { events: [makeEvent()] }));
  t.is(createdAt, window?.coversTo ?? '');
  await start(store);
  now += 2 * 3_600_000;
  t.is((await store.audit.seal({ itemsMax: 100, lagMs: 0 })).items, 2);
  const verdict = await verifyAudit(store.audit, { tenantId: null, expected: null });
  t.like(verdict, { items: 3, problems: [] });
});

test('postgres: a transaction that is under way holds sealing up, and its rows are sealed', async (t) => {
  const { store, audit, url, tenantId } = await openScene(t, 'postgres');
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const execution = await start(store, { tenantId });
  await client.query('begin');
  await client.query(
    `insert into events
     values ($1, 2, 'NodeStarted', 'n', '{"visit":0}', 'token:slow', audit_stamp())`,
    [execution.executionId.slice('exec_'.length)],
  );
  const other = await start(store, { tenantId });
  for (let round = 0; round < 3; round += 1) await audit.seal({ itemsMax: 100, lagMs: 0 });
  const sealed = await audit.windows({ after: 0, limit: 10 });
  await client.query('update executions set last_sequence = 2 where id = $1', [
    execution.executionId.slice('exec_'.length),
  ]);
  await client.query('commit');
  await sealAll(audit);
  const verdict = await verifyAudit(audit, { tenantId: null, expected: null });
  t.like(verdict, { items: 3, problems: [] });
  t.true(sealed.length <= 1);
  t.truthy(other.executionId);
});

async function openScene(t: ExecutionContext, dialect: Dialect) {
  const database = await openTestStore(dialect);
  t.teardown(database.close);
  const tenantId = makeTenantId();
  const { store, url } = database;
  if (dialect === 'sqlite') return { store, audit: store.audit, url, tenantId };
  const sealer = await openPostgresStore({
    url,
    poolSize: 1,
    maxOverflow: 0,
    audit: { finalMs: 0 },
  });
  t.teardown(() => sealer.close());
  return { store, audit: sealer.audit, url, tenantId };
}

async function setScene(t: ExecutionContext, dialect: Dialect): Promise<Scene> {
  const scene = await openScene(t, dialect);
  const { store, audit, tenantId } = scene;
  const events = [makeEvent({ kind: 'NodeScheduled' }), makeEvent({ kind: 'NodeCompleted' })];
  const first = await start(store, { tenantId });
  await commitOne(store, makePlan(first, { events }));
  await sealAll(audit);
  // An event in the first millisecond of its window would leave it with a time that is one less.
  await untilNextMillisecond();
  const second = await start(store, { tenantId });
  await commitOne(store, makePlan(second, { events }));
  await store.tokens.create({
    tokenId: makeUuid(),
    tenantId,
    name: 'ci',
    role: 'viewer',
    hash: makeKey(),
    expiresInMs: null,
    actorId: 'token:ops',
  });
  await sealAll(audit);
  const { items } = await audit.list({
    tenantId,
    executionId: null,
    actorId: null,
    eventType: 'token_created',
    limit: 1,
    offset: 0,
  });
  const auditId = items[0]?.id ?? '';
  const windows = await audit.windows({ after: 0, limit: 100 });
  const seals = await audit.seals({ windowNumber: windows.at(-1)?.windowNumber ?? 0 });
  const lastSeal = seals.find((seal) => seal.tenantId === tenantId)?.sealNumber ?? 0;
  return { ...scene, first: first.executionId, second: second.executionId, lastSeal, auditId };
}

/** The current millisecond is never sealed, so this polls. */
async function sealAll(audit: AuditStore): Promise<void> {
  await untilNextMillisecond();
  await eventually(async () => {
    await audit.seal({ itemsMax: 1_000, lagMs: 0 });
    if ((await countUnsealed(audit)) > 0) throw new Error('not everything is sealed');
  });
}

async function countUnsealed(audit: AuditStore): Promise<number> {
  const windows = await audit.windows({ after: 0, limit: 1_000 });
  const coversFrom = windows.at(-1)?.coversTo ?? '1970-01-01T00:00:00.000Z';
  const coversTo = '2999-01-01T00:00:00.000Z';
  return (await audit.sealable({ coversFrom, coversTo, tenantId: null })).length;
}

async function firstProblem({ audit }: Scene) {
  const { problems } = await verifyAudit(audit, { tenantId: null, expected: null });
  return problems[0] ?? null;
}

async function untilNextMillisecond(): Promise<void> {
  const begun = Date.now();
  await eventually(() => {
    if (Date.now() <= begun) throw new Error('the clock stands still');
  });
}
