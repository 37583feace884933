import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Store, WorkerAnnouncement } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, claimOne, start, startWithItems } from '../drive.ts';
import { makeNewExecution, makePlan, makeTenantId, makeUuid } from '../make.ts';

const MINUTE_MS = 60_000;
const SIGNS_OF_LIFE = { table: 'workers', columns: ['last_heartbeat'] };

export function workerCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an announced worker is listed as it said', async (t, { store }) => {
    const tenantId = makeTenantId();
    const filter = { tools: ['payment.*'], queueNames: ['gpu', 'default'] };
    const worker = makeToolWorker(tenantId, { queueTypes: ['python_tool', 'java_tool'], filter });
    await store.workers.announce([worker]);
    const [row] = await listOwn(store, tenantId, [worker]);
    const { tenantId: _, ...said } = worker;
    t.deepEqual(row, {
      ...said,
      startedAt: row?.startedAt ?? '',
      lastHeartbeat: row?.startedAt ?? '',
      activeItems: 0,
    });
  });

  check('a tenant sees its tool workers and every runtime process', async (t, { store }) => {
    const [tenantId, other] = [makeTenantId(), makeTenantId()];
    const [own, foreign] = [makeToolWorker(tenantId), makeToolWorker(other)];
    const process = makeProcess();
    await store.workers.announce([own, foreign, process]);
    const seen = await listOwn(store, tenantId, [own, foreign, process]);
    t.deepEqual(
      seen.map(({ workerId }) => workerId).toSorted(),
      [own.workerId, process.workerId].toSorted(),
    );
    t.like(
      seen.find(({ workerId }) => workerId === process.workerId),
      { kind: 'runtime', role: 'scheduler' },
    );
  });

  check('two tenants may have a worker of the same name', async (t, { store }) => {
    const [tenantId, other] = [makeTenantId(), makeTenantId()];
    const worker = makeToolWorker(tenantId, { version: '1' });
    await store.workers.announce([worker, { ...worker, tenantId: other, version: '2' }]);
    t.like((await listOwn(store, tenantId, [worker]))[0], { version: '1' });
    t.like((await listOwn(store, other, [worker]))[0], { version: '2' });
  });

  check('a sign of life keeps the start and takes what is new', async (t, { store, age }) => {
    const tenantId = makeTenantId();
    const worker = makeToolWorker(tenantId);
    await store.workers.announce([worker]);
    await age({ table: 'workers', columns: ['started_at', 'last_heartbeat'], byMs: 30_000 });
    const [before] = await listOwn(store, tenantId, [worker]);
    await store.workers.announce([{ ...worker, version: '9', queueTypes: [] }]);
    const [after, ...others] = await listOwn(store, tenantId, [worker]);
    t.like(after, {
      filter: { tools: null, queueNames: null },
      version: '9',
      queueTypes: [],
      startedAt: before?.startedAt,
    });
    t.true((after?.lastHeartbeat ?? '') > (before?.lastHeartbeat ?? ''));
    t.deepEqual(others, []);
  });

  check('a worker is listed for 60 s after its last sign of life', async (t, { store, age }) => {
    const tenantId = makeTenantId();
    const worker = makeToolWorker(tenantId);
    await store.workers.announce([worker]);
    await age({ ...SIGNS_OF_LIFE, byMs: MINUTE_MS - 10_000 });
    t.is((await listOwn(store, tenantId, [worker])).length, 1);
    await age({ ...SIGNS_OF_LIFE, byMs: 10_000 });
    t.deepEqual(await listOwn(store, tenantId, [worker]), []);
  });

  check('a worker that withdraws is gone at once', async (t, { store }) => {
    const tenantId = makeTenantId();
    const worker = makeToolWorker(tenantId);
    const process = makeProcess();
    await store.workers.announce([worker, process]);
    const listed = async () => {
      const workers = await listOwn(store, tenantId, [worker, process]);
      return workers.map(({ workerId }) => workerId);
    };
    await store.workers.withdraw(process);
    await store.workers.withdraw({ workerId: 'never there', tenantId });
    // Those of other tenants may have the same name.
    await store.workers.withdraw({ ...worker, tenantId: makeTenantId() });
    await store.workers.withdraw({ ...worker, tenantId: null });
    t.deepEqual(await listed(), [worker.workerId]);
    await store.workers.withdraw(worker);
    t.deepEqual(await listed(), []);
  });

  check('a worker shows how many items it holds', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}]);
    const worker = makeToolWorker(tenantId);
    await store.workers.announce([worker]);
    await claimOne(store, tenantId, { workerId: worker.workerId });
    t.is((await listOwn(store, tenantId, [worker]))[0]?.activeItems, 1);
  });

  check(
    'the leases that workers are shown with are counted up to a bound',
    async (t, { store }) => {
      const { tenantId } = await startWithItems(store, [{}, {}, {}]);
      const worker = makeToolWorker(tenantId);
      await store.workers.announce([worker]);
      await claim(store, tenantId, { workerId: worker.workerId, limit: 3 });
      const read = async (leasesMax: number) => {
        const { workers, isExact } = await store.workers.list({ tenantId, leasesMax });
        const found = workers.find(({ workerId }) => workerId === worker.workerId);
        return { items: found?.activeItems ?? 0, isExact };
      };
      t.deepEqual(await read(10_000), { items: 3, isExact: true });
      t.false((await read(1)).isExact);
      t.true((await read(1)).items <= 2);
      t.deepEqual(await read(0), { items: 0, isExact: true });
    },
  );

  check('announcing nobody is no work', async (t, { store }) => {
    await t.notThrowsAsync(store.workers.announce([]));
  });

  check('pruning removes the silent and keeps the living', async (t, { store, age }) => {
    const tenantId = makeTenantId();
    const silent = makeToolWorker(tenantId);
    await store.workers.announce([silent]);
    await age({ ...SIGNS_OF_LIFE, byMs: 48 * 60 * MINUTE_MS });
    const living = makeToolWorker(tenantId);
    await store.workers.announce([living]);
    t.true((await store.prune()) >= 1);
    t.is(await store.prune(), 0);
    t.is((await listOwn(store, tenantId, [living])).length, 1);
  });

  check('pruning removes request keys that no longer count', async (t, database) => {
    const { store } = database;
    const old = await start(store, { create: { request: { key: makeUuid(), bodyHash: 'hash' } } });
    await database.age({
      table: 'request_keys',
      columns: ['created_at'],
      byMs: 25 * 60 * MINUTE_MS,
    });
    const request = { key: makeUuid(), bodyHash: 'hash' };
    const { tenantId, executionId } = await start(store, { create: { request } });
    t.true((await store.prune()) >= 1);
    const again = makePlan(
      { executionId: old.executionId, tenantId },
      { create: makeNewExecution({ request }) },
    );
    t.like((await store.executions.commit([again]))[0], { accepted: false, reason: 'exists' });
    t.is((await database.contents())['request_keys']?.length, 1);
    t.like(await store.executions.find(executionId, tenantId), { status: 'running' });
  });
}

function makeToolWorker(
  tenantId: TenantId,
  changes: Partial<WorkerAnnouncement> = {},
): WorkerAnnouncement {
  return {
    workerId: `worker-${makeUuid()}`,
    tenantId,
    kind: 'tool',
    role: null,
    queueTypes: ['python_tool'],
    version: '1.0.0',
    host: 'host-1',
    ...changes,
  };
}

function makeProcess(changes: Partial<WorkerAnnouncement> = {}): WorkerAnnouncement {
  return {
    workerId: `process-${makeUuid()}`,
    tenantId: null,
    kind: 'runtime',
    role: 'scheduler',
    queueTypes: [],
    version: '0.4.0',
    host: 'host-1',
    ...changes,
  };
}

async function listOwn(store: Store, tenantId: TenantId, workers: readonly WorkerAnnouncement[]) {
  const { workers: rows } = await store.workers.list({ tenantId, leasesMax: 10_000 });
  return rows.filter((row) => workers.some(({ workerId }) => workerId === row.workerId));
}
