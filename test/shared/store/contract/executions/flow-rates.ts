import type { DefinitionId, ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import type { WaitLimits } from '../../../../../src/shared/domain/workflow/flow/limits-in-force.ts';
import { lineKeyOf, placeKeyOf } from '../../../../../src/shared/domain/workflow/flow/flow-key.ts';
import type { AwaitedToken, CommitPlan } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, start, type Started } from '../drive.ts';
import { makeEvent, makePlan, makeTenantId, makeUuid } from '../make.ts';

const COMPETITORS = 20;
const HOUR_US = 3_600_000_000;

/** Executions that wait for tokens of a rate, which come so rarely that none comes during a test. */
export function flowRateCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check(
    'as many begin as there are tokens, those that wait longest first',
    async (t, { store }) => {
      const line = await startPaced(store, { count: 5, burst: 3 });
      const first = await line.admit();
      t.deepEqual(first.ids, line.ids.slice(0, 3));
      t.true(first.nextTokenMs > 3_500_000 && first.nextTokenMs <= 3_600_000);
      t.deepEqual((await line.admit()).ids, []);
      const wait = await store.flow.find(line.ids[4] ?? line.id);
      t.like(wait, { ahead: 1, placesMax: null, isPaced: true, holders: [] });
    },
  );

  check('twenty who admit at once take no token twice', async (t, { store }) => {
    const line = await startPaced(store, { count: COMPETITORS * 2, burst: 7 });
    const given = (await atOnce(COMPETITORS, () => line.admit())).flatMap(({ ids }) => ids);
    t.deepEqual(given.toSorted(), line.ids.slice(0, 7).toSorted());
  });

  check('a token that nobody could use is left', async (t, { store }) => {
    const line = await startPaced(store, { count: 3, burst: 2, placesMax: 1 });
    t.deepEqual((await line.admit()).ids, line.ids.slice(0, 1));
    const blocked = await line.admit();
    t.deepEqual(blocked, { ids: [], nextTokenMs: 0 });
    await line.end(0);
    t.deepEqual((await line.admit()).ids, line.ids.slice(1, 2));
    await line.end(1);
    const empty = await line.admit();
    t.deepEqual(empty.ids, []);
    t.true(empty.nextTokenMs > 0);
  });

  check('lines of one limit share its places, with a rate and without', async (t, { store }) => {
    const line = await startPaced(store, { count: 2, burst: 2, placesMax: 1 });
    const { tenantId, placesKey } = line;
    const create = { awaitsPlace: { placeKey: placesKey, placesMax: 1 } };
    const plain = await start(store, { tenantId, create });
    t.deepEqual((await line.admit()).ids, line.ids.slice(0, 1));
    const admit = () => store.flow.admit({ tenantId, placeKey: placesKey, limit: 10 });
    t.deepEqual(await admit(), []);
    t.deepEqual((await store.flow.find(plain.executionId))?.holders, line.ids.slice(0, 1));
    await line.end(0);
    t.deepEqual(
      (await admit()).map(({ executionId }) => executionId),
      [plain.executionId],
    );
    t.deepEqual((await line.admit()).ids, []);
  });

  check('a list of lines says which may begin, and when the next may', async (t, { store }) => {
    const line = await startPaced(store, { count: 2, burst: 1, placesMax: 2 });
    const listed = async () => {
      const { keys } = await store.flow.listKeys({
        limit: 1_000,
        lines: 1_000,
        batchBytesMax: 1_000,
      });
      return keys.find(({ tenantId }) => tenantId === line.tenantId);
    };
    t.like(await listed(), { hasRoom: true, nextTokenMs: 0, token: line.token });
    await line.admit();
    const waiting = await listed();
    t.true(waiting?.hasRoom);
    t.true((waiting?.nextTokenMs ?? 0) > 3_500_000);
  });

  check('the limits registered last count for older waits', async (t, { store }) => {
    const line = await startPaced(store, { count: 4, burst: 4, placesMax: 4 });
    await line.register({ placesMax: 3, intervalUs: HOUR_US, burst: 2 });
    t.deepEqual((await line.admit()).ids, line.ids.slice(0, 2));
    t.is((await store.flow.find(line.ids[3] ?? line.id))?.placesMax, 3);
    await line.register({ placesMax: 2, intervalUs: 1, burst: 4 });
    const full = await line.admit();
    t.deepEqual(full.ids, []);
    t.true(full.nextTokenMs < 1);
  });

  check('rates registered while executions begin give no token twice', async (t, { store }) => {
    const line = await startPaced(store, { count: COMPETITORS, burst: 1 });
    await line.register({ placesMax: 1, intervalUs: HOUR_US, burst: 1 });
    t.is((await line.admit()).ids.length, 1);
    const begun = await atOnce(COMPETITORS, async (at) => {
      if (at % 2 === 0) return (await line.admit()).ids;
      await line.register({ placesMax: 1, intervalUs: Math.ceil(HOUR_US / at), burst: at });
      return [];
    });
    t.deepEqual(begun.flat(), []);
    const { nextTokenMs } = await line.admit();
    t.true(nextTokenMs > 180_000);
  });

  check(
    'the bucket has no room for tokens of executions that have not begun',
    async (t, { store, url }) => {
      const line = await startPaced(store, { count: 9, burst: 3 });
      const pass = passHours(url, line);
      t.is((await line.admit()).ids.length, 3);
      await pass(9);
      t.deepEqual((await line.admit()).ids, []);
      await line.begin(0);
      t.deepEqual((await line.admit()).ids, []);
      await pass(2);
      t.is((await line.admit()).ids.length, 1);
      for (const index of [1, 2, 3]) await line.begin(index);
      await pass(9);
      t.is((await line.admit()).ids.length, 3);
    },
  );

  check(
    'an execution that begins and has more to decide leaves its room',
    async (t, { store, url }) => {
      const line = await startPaced(store, { count: 3, burst: 1 });
      const pass = passHours(url, line);
      t.is((await line.admit()).ids.length, 1);
      await line.begin(0, { runnable: 'mark', usesToken: true });
      await pass(1);
      t.is((await line.admit()).ids.length, 1);
    },
  );

  check(
    'an execution that cannot begin leaves its room after a minute',
    async (t, { store, url }) => {
      const line = await startPaced(store, { count: 9, burst: 1 });
      const pass = passHours(url, line);
      t.is((await line.admit()).ids.length, 1);
      await pass(1);
      t.deepEqual((await line.admit()).ids, []);
      const isPostgres = url.startsWith('postgres');
      const earlier = isPostgres ? "admitted_at - interval '1 minute'" : 'admitted_at - 60000';
      await changeTable(url)(
        `update runnable set admitted_at = ${earlier} where bucket_key = '${line.token.bucket.key}'`,
      );
      await pass(1);
      t.is((await line.admit()).ids.length, 1);
    },
  );

  check('executions that ended while they waited take no token', async (t, { store }) => {
    const line = await startPaced(store, { count: 3, burst: 1 });
    await line.end(0);
    t.deepEqual((await line.admit()).ids, []);
    t.deepEqual((await line.admit()).ids, line.ids.slice(1, 2));
  });
}

interface PacedLine {
  readonly tenantId: Started['tenantId'];
  readonly placesKey: string;
  readonly token: AwaitedToken;
  readonly id: ExecutionId;
  readonly ids: readonly ExecutionId[];
  admit(): Promise<{ readonly ids: readonly ExecutionId[]; readonly nextTokenMs: number }>;
  /** The commit with the first step. */
  begin(index: number, plan?: Partial<CommitPlan>): Promise<void>;
  end(index: number): Promise<void>;
  /** A version of the workflow with these limits. */
  register(waitLimits: WaitLimits): Promise<unknown>;
}

async function startPaced(
  store: Store,
  of: { readonly count: number; readonly burst: number; readonly placesMax?: number },
): Promise<PacedLine> {
  const tenantId = makeTenantId();
  const { placesMax = null } = of;
  const [line, placesKey] = [lineKeyOf('orders', 'acme', 'eu'), placeKeyOf('orders', 'acme')];
  const token = {
    placesKey: placesMax === null ? null : placesKey,
    bucket: {
      key: `${tenantId}/start#${placeKeyOf('orders', 'eu')}`,
      intervalUs: HOUR_US,
      burst: of.burst,
    },
  };
  const started: Started[] = [];
  for (let made = 0; made < of.count; made += 1) {
    const create = { awaitsPlace: { placeKey: line, placesMax, rate: token } };
    started.push(await start(store, { tenantId, create }));
  }
  const ids = started.map(({ executionId }) => executionId);
  const [id] = ids;
  if (id === undefined) throw new Error('none was started');
  function startedAt(index: number): Started {
    const execution = started[index];
    if (execution === undefined) throw new Error('no such execution');
    return execution;
  }

  return {
    tenantId,
    placesKey,
    token,
    id,
    ids,
    async admit() {
      const params = { tenantId, placeKey: line, token, limit: 100 };
      const { admitted, nextTokenMs } = await store.flow.admitAtRate(params);
      return { ids: admitted.map(({ executionId }) => executionId), nextTokenMs };
    },
    register(waitLimits) {
      const definitionId = makeUuid() as DefinitionId;
      const of = { tenantId, workflowId: 'orders', version: definitionId, actorId: 'token:t' };
      const ir = { workflow_id: 'orders', version: definitionId };
      const irHash = definitionId;
      return store.definitions.register({ ...of, definitionId, irHash, ir, waitLimits });
    },
    async begin(index, plan = {}) {
      const events = [makeEvent({ kind: 'NodeScheduled', nodeId: 'go' })];
      await commitOne(store, makePlan(startedAt(index), { runnable: 'clear', events, ...plan }));
    },
    async end(index) {
      const execution = startedAt(index);
      const events = [makeEvent({ kind: 'WorkflowCancelled' })];
      await commitOne(store, makePlan(execution, { status: 'cancelled', events }));
    },
  };
}

/** Moves the bucket of the line into the past. */
function passHours(url: string, { token }: PacedLine): (hours: number) => Promise<void> {
  return (hours) =>
    changeTable(url)(
      `update quota_buckets set full_at_us = full_at_us - ${hours * HOUR_US}
       where bucket_key = '${token.bucket.key}'`,
    );
}
