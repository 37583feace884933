import type { WorkItemId } from '../../../../src/shared/domain/ids.ts';
import type { QueuedNames } from '../../../../src/shared/domain/work/quota.ts';
import {
  type ExecutionQuestion,
  POSITION_MAX,
} from '../../../../src/shared/store/readings/diagnosis.ts';
import type { TestStore } from '../../../support/stores.ts';
import { contractCases } from './contract-case.ts';
import { claimOne, commitOne, settleOf, start, startWithItems, type Started } from './drive.ts';
import { makePlan, makeTenantId, makeTicket, makeTimer, makeItem, makeUuid } from './make.ts';

/** Readings for people who ask why an execution makes no progress. */
export function diagnosisCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an execution is shown with its status, sequence and mark', async (t, { store }) => {
    const execution = await start(store);
    const before = await store.diagnosis.executionFacts(ask(execution));
    t.like(before, {
      status: 'running',
      lastSequence: 1,
      tenantStatus: 'active',
      isMarked: false,
      updatedAt: before?.updatedAt,
    });
    t.true(before !== null && before.updatedAt <= before.now);
    await commitOne(store, makePlan(execution, { runnable: 'mark' }));
    t.like(await store.diagnosis.executionFacts(ask(execution)), { isMarked: true });
  });

  check('an execution of another tenant does not exist', async (t, { store }) => {
    const execution = await start(store);
    const other = { ...ask(execution), tenantId: makeTenantId() };
    t.is(await store.diagnosis.executionFacts(other), null);
    t.not(await store.diagnosis.executionFacts({ ...other, tenantId: null }), null);
  });

  check('queued items have their places in the order they are handed out', async (t, { store }) => {
    const first = await startWithItems(store, [{ priority: 5 }, { priority: 5 }]);
    const { tenantId } = first;
    const second = await start(store, { tenantId });
    const [late, urgent] = [5, 1].map((priority) => makeTicket(second, { priority }));
    if (late === undefined || urgent === undefined) throw new Error('two tickets were made');
    await commitOne(store, makePlan(second, { newItems: [late, urgent].map(makeItem) }));
    const facts = await store.diagnosis.executionFacts(
      ask(second, [late.workItemId, urgent.workItemId]),
    );
    t.like(facts?.items.get(urgent.workItemId), { is: 'queued', position: 1, startBefore: null });
    t.like(facts?.items.get(late.workItemId), { is: 'queued', position: 4, attempt: 0 });
    t.deepEqual(facts?.workers, new Map([['python_tool', { seen: 0, lastSeenAt: null }]]));
  });

  check('a queued item tells its queue, its key and its quota', async (t, { store }) => {
    const names = ['default~acme~3', 'gpu~acme~3', 'gpu~acme~3#2#shop.pay#acme', 'default'];
    const items = names.map((queueName) => ({ queueName }));
    const execution = await startWithItems(store, items);
    const ids = execution.tickets.map(({ workItemId }) => workItemId);
    const facts = await store.diagnosis.executionFacts(ask(execution, ids));
    const share = { key: 'acme', weight: 3 };
    const quota = { queueName: 'gpu', tool: 'shop.pay', key: 'acme', limit: 2, rate: null };
    t.deepEqual(
      ids.map((id) => {
        const names = facts?.items.get(id) as QueuedNames | undefined;
        return { queueName: names?.queueName, share: names?.share, quota: names?.quota };
      }),
      [
        { queueName: undefined, share, quota: undefined },
        { queueName: 'gpu', share, quota: undefined },
        { queueName: 'gpu', share, quota },
        { queueName: undefined, share: undefined, quota: undefined },
      ],
    );
  });

  check('a place far behind is not told', async (t, { store }) => {
    const before = Array.from({ length: POSITION_MAX }, () => ({}));
    const execution = await startWithItems(store, [...before, { priority: 9 }]);
    const ids = execution.tickets.slice(-2).map(({ workItemId }) => workItemId);
    const facts = await store.diagnosis.executionFacts(ask(execution, ids));
    const places = ids.map((id) => facts?.items.get(id));
    t.like(places[0], { is: 'queued', position: POSITION_MAX });
    t.like(places[1], { is: 'queued', position: null });
  });

  check('a leased item has its holder, its fence and its end', async (t, { store }) => {
    const execution = await startWithItems(store, [{}]);
    const item = await claimOne(store, execution.tenantId);
    const { workItemId } = item.ticket;
    const facts = await store.diagnosis.executionFacts(ask(execution, [workItemId]));
    t.deepEqual(facts?.items.get(workItemId), {
      is: 'leased',
      queue: 'python_tool',
      attempt: 0,
      workerId: 'worker-1',
      leaseFence: item.leaseFence,
      claimedAt: item.claimedAt,
      expiresAt: item.expiresAt,
      holderSeenAt: null,
    });
  });

  check('an item that waits for its next attempt is shown with its time', async (t, { store }) => {
    const execution = await startWithItems(store, [{}]);
    const item = await claimOne(store, execution.tenantId);
    const { ticket } = item;
    const retry = { ticket: { ...ticket, attempt: 1 }, delayMs: 60_000, released: null };
    await commitOne(store, makePlan(execution, { settles: [settleOf(item)], retries: [retry] }));
    const facts = await store.diagnosis.executionFacts(ask(execution, [ticket.workItemId]));
    const place = facts?.items.get(ticket.workItemId);
    t.like(place, { is: 'retrying', attempt: 1 });
    t.true(place?.is === 'retrying' && place.dueAt > (facts?.now ?? ''));
  });

  check('a dead letter is shown only for an item that is nowhere else', async (t, { store }) => {
    const execution = await startWithItems(store, [{}]);
    const { tenantId } = execution;
    const { workItemId } = (await claimOne(store, tenantId)).ticket;
    await store.work.settleUnfenced({ workItemId, tenantId, record: null, deadLetter: 'unfenced' });
    const facts = await store.diagnosis.executionFacts(ask(execution, [workItemId]));
    t.like(facts?.items.get(workItemId), { is: 'dead_lettered', error: 'unfenced' });
  });

  check('items of another execution are not told', async (t, { store }) => {
    const [one, other] = [await startWithItems(store, [{}]), await startWithItems(store, [{}])];
    const ids = other.tickets.map(({ workItemId }) => workItemId);
    const facts = await store.diagnosis.executionFacts(ask(one, ids));
    t.deepEqual(facts?.items, new Map());
  });

  check('timers are shown by name', async (t, { store }) => {
    const timer = makeTimer({ name: 'wait:a#0', when: { until: '2099-01-01T00:00:00.000Z' } });
    const other = makeTimer({ name: 'wait:b#0', when: { delayMs: 0 } });
    const execution = await start(store, { changes: { startsTimers: [timer, other] } });
    const facts = await store.diagnosis.executionFacts({
      ...ask(execution),
      timerNames: ['wait:a#0', 'wait:c#0'],
    });
    t.deepEqual(facts?.timers, new Map([['wait:a#0', '2099-01-01T00:00:00.000Z']]));
  });

  check(
    'workers count that claim from the queue, or hold an item of it',
    async (t, { store, age }) => {
      const execution = await startWithItems(store, [{}, {}]);
      const { tenantId } = execution;
      const ids = execution.tickets.map(({ workItemId }) => workItemId);
      const worker = (workerId: string, queueTypes: readonly string[]) => ({
        workerId,
        tenantId,
        kind: 'tool' as const,
        role: null,
        queueTypes,
        version: '1',
        host: 'h',
      });
      await store.workers.announce([worker('silent', ['python_tool'])]);
      await age({ table: 'workers', columns: ['last_heartbeat'], byMs: 120_000 });
      await store.workers.announce([
        worker('there', ['python_tool', 'java_tool']),
        worker('elsewhere', ['java_tool']),
        { ...worker('other', ['python_tool']), tenantId: makeTenantId() },
      ]);
      const seen = async () =>
        (await store.diagnosis.executionFacts(ask(execution, ids)))?.workers.get('python_tool')
          ?.seen;
      t.is(await seen(), 1);
      await store.work.claim({
        tenantId,
        queues: ['python_tool'],
        workerId: 'busy',
        leaseMs: 30_000,
        limit: 1,
        shards: null,
      });
      t.is(await seen(), 2);
    },
  );

  check('processes with the role of a scheduler are counted', async (t, { store }) => {
    const execution = await start(store);
    const seen = async () =>
      (await store.diagnosis.executionFacts(ask(execution)))?.schedulers.seen ?? 0;
    const before = await seen();
    const workers = ['scheduler', 'all', 'api'].map((role) => ({
      workerId: `process-${makeUuid()}`,
      tenantId: null,
      kind: 'runtime' as const,
      role,
      queueTypes: [],
      version: '1',
      host: 'h',
    }));
    await store.workers.announce(workers);
    t.is(await seen(), before + 2);
    for (const worker of workers) await store.workers.withdraw(worker);
  });

  check('the clock, and what the database says of itself', async (t, { store }) => {
    const clock = await store.diagnosis.clock();
    t.regex(clock, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const server = await store.diagnosis.serverFacts({ checkedBytesMax: 2 ** 30 });
    t.is(server.dialect, store.dialect);
    t.regex(server.version, /^\d+\.\d+/);
    if (server.dialect === 'sqlite') {
      t.deepEqual(server.damage, []);
      const unchecked = await store.diagnosis.serverFacts({ checkedBytesMax: 0 });
      t.like(unchecked, { damage: null, fileBytes: server.fileBytes });
    }
    const overview = await store.diagnosis.overview();
    t.like(overview, { dialect: store.dialect, version: server.version });
    t.true(overview.bytes > 10_000);
  });

  check('live executions are listed oldest first, ended ones are not', async (t, { store }) => {
    const limit = 10_000;
    const ours = [];
    for (let made = 0; made < 3; made += 1) ours.push(await start(store));
    const [first, ended, last] = ours;
    if (first === undefined || ended === undefined || last === undefined) return t.fail();
    const before = await store.diagnosis.installationFacts({ limit: 1 });
    await commitOne(store, makePlan(ended, { status: 'completed', revokesAll: true }));
    const after = await store.diagnosis.installationFacts({ limit: 1 });
    t.is(after.liveExecutions, before.liveExecutions - 1);
    const live = await store.diagnosis.oldestLive({ limit });
    const ids = live.map(({ executionId }) => executionId);
    t.is(live.length, after.liveExecutions);
    t.false(ids.includes(ended.executionId));
    t.true(ids.indexOf(first.executionId) < ids.indexOf(last.executionId));
    t.like(live.at(ids.indexOf(last.executionId)), { tenantId: last.tenantId });
    t.is((await store.diagnosis.oldestLive({ limit: 1 })).length, 1);
  });

  check('tables are shown with their sizes', async (t, { store }) => {
    await startWithItems(store, [{}]);
    const tables = await store.diagnosis.tableFacts();
    const names = tables.map(({ table }) => table);
    for (const name of ['executions', 'events', 'work_queue', 'audit_log']) {
      t.true(names.includes(name), name);
    }
    const events = tables.find(({ table }) => table === 'events');
    t.true((events?.bytes ?? 0) > 0);
    t.true((events?.rows ?? -1) >= 0);
  });

  check(
    'queues are shown by tenant, with their waiting items and workers',
    async (t, { store }) => {
      const execution = await startWithItems(store, [{}, {}, { queue: 'java_tool' }]);
      const { tenantId } = execution;
      const own = async () => {
        const { queues, queuesTotal } = await store.diagnosis.installationFacts({ limit: 10_000 });
        t.is(queues.length, queuesTotal);
        return queues
          .filter((queue) => queue.tenantId === tenantId)
          .map(({ queue, items, workersSeen }) => `${queue}: ${items} for ${workersSeen}`)
          .toSorted();
      };
      t.deepEqual(await own(), ['java_tool: 1 for 0', 'python_tool: 2 for 0']);
      await claimOne(store, tenantId, { limit: 1 });
      t.deepEqual(await own(), ['java_tool: 1 for 0', 'python_tool: 1 for 1']);
    },
  );
}

function ask(of: Started, workItemIds: readonly WorkItemId[] = []): ExecutionQuestion {
  const { executionId, tenantId } = of;
  return { executionId, tenantId, workItemIds, timerNames: [] };
}
