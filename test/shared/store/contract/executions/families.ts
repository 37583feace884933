import type { StartedExecution } from '../../../../../src/shared/store/commit.ts';
import type { ListExecutions, Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, start, type Started } from '../drive.ts';
import {
  makeDefinitionId,
  makeEvent,
  makeExecutionId,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTimer,
  makeUuid,
} from '../make.ts';

/** Executions that begin with the plan of another, and timers that one starts for another. */
export function familyCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an execution begins with the plan of another', async (t, { store }) => {
    const parent = await start(store);
    const child = makeChild(parent, { shard: 21, priority: 3, workflowVersion: '2' });
    await commitOne(store, makePlan(parent, { events: [makeEvent()], startsExecutions: [child] }));
    const { started: _, used: _used, waitsForPlace: _waits, takesPlaceOf: _place, ...row } = child;
    const loaded = await store.executions.load(child.executionId, parent.tenantId);
    t.like(loaded?.row, { ...row, status: 'running', lastSequence: 1, completedAt: null });
    t.like(loaded?.events, [{ sequence: 1, kind: 'WorkflowStarted', nodeId: null }]);
    t.is(loaded?.row.createdAt, loaded?.events[0]?.createdAt);
    const marked = await store.runnable.list({ shards: [21], limit: 100 });
    t.true(marked.some(({ executionId }) => executionId === child.executionId));
    await commitOne(store, makePlan({ ...child, tenantId: parent.tenantId }, ENDED));
  });

  check('nothing begins with a plan that is refused', async (t, { store }) => {
    const parent = await start(store);
    const [refused, accepted] = [makeChild(parent), makeChild(parent)];
    const other = await start(store);
    const verdicts = await store.executions.commit([
      makePlan(parent, { expectedSequence: 9, startsExecutions: [refused] }),
      makePlan(other, { events: [makeEvent()], startsExecutions: [accepted] }),
    ]);
    t.deepEqual(
      verdicts.map((verdict) => verdict.accepted),
      [false, true],
    );
    t.is(await store.executions.find(refused.executionId, null), null);
    t.not(await store.executions.find(accepted.executionId, other.tenantId), null);
  });

  check('one of twenty that start a child from the same reading does', async (t, { store }) => {
    const parent = await start(store);
    await atOnce(20, () =>
      judge(
        store,
        makePlan(parent, {
          expectedSequence: 1,
          events: [makeEvent()],
          startsExecutions: [makeChild(parent)],
        }),
      ),
    );
    t.is((await listChildren(store, parent)).length, 1);
  });

  check('children are listed by their parent, newest first', async (t, { store }) => {
    const parent = await start(store);
    const children = [makeChild(parent), makeChild(parent), makeChild(parent)];
    for (const child of children) {
      await commitOne(
        store,
        makePlan(parent, { events: [makeEvent()], startsExecutions: [child] }),
      );
    }
    await commitOne(
      store,
      makePlan(parent, {
        events: [makeEvent()],
        startsExecutions: [makeChild(await start(store))],
      }),
    );
    t.deepEqual(
      await listChildren(store, parent),
      children.map(({ executionId }) => executionId).toReversed(),
    );
    t.deepEqual(await listChildren(store, { ...parent, tenantId: makeTenantId() }), []);
  });

  check('a child that has not ended is found among those of many parents', async (t, { store }) => {
    const parents = [await start(store), await start(store), await start(store)];
    const [first, second, other] = parents;
    if (first === undefined || second === undefined || other === undefined) {
      throw new Error('three were started');
    }
    const { tenantId } = second;
    const [ended, live, foreign] = [makeChild(second), makeChild(second), makeChild(other)];
    for (const [parent, child] of [
      [second, ended],
      [second, live],
      [other, foreign],
    ] as const) {
      const plan = makePlan(parent, { events: [makeEvent()], startsExecutions: [child] });
      await commitOne(store, plan);
    }
    await commitOne(store, makePlan({ ...ended, tenantId }, ENDED));
    const find = (of: readonly Started[]) =>
      store.executions.findLiveChild({
        tenantId,
        parents: of.map(({ executionId }) => executionId),
      });
    t.is(await find(parents), live.executionId);
    await commitOne(store, makePlan({ ...live, tenantId }, { status: 'paused' }));
    t.is(await find([first, second]), live.executionId);
    await commitOne(store, makePlan({ ...live, tenantId }, ENDED));
    t.is(await find([first, second]), null);
    t.is(await find([other]), null, 'a child of another tenant');
    t.is(await find([]), null);
  });

  check('a run that continues another begins with its usage of models', async (t, { store }) => {
    const run = await start(store);
    const next = {
      ...makeChild(run, { parentExecutionId: null }),
      used: { inputTokens: 7, outputTokens: 2, costUsd: 0.25 },
    };
    await commitOne(store, makePlan(run, { ...ENDED, startsExecutions: [next] }));
    const { executionId } = next;
    t.like(await store.executions.usage(executionId), [{ executionId, ...next.used }]);
  });

  check('a plan starts a timer of another execution', async (t, { store }) => {
    const parent = await start(store);
    const child = await start(store, { tenantId: parent.tenantId });
    const timer = makeTimer({ name: 'child:x', purpose: 'child_ended', nodeId: 'sub', visit: 4 });
    await commitOne(
      store,
      makePlan(child, { ...ENDED, startsTimers: [{ ...timer, executionId: parent.executionId }] }),
    );
    const { when: _, ...about } = timer;
    t.deepEqual(await listDue(store, parent), [{ ...about, ...parent }]);
    t.deepEqual(await listDue(store, child), []);
    const plan = makePlan(parent, { firesTimers: ['child:x'], events: [makeEvent()] });
    await commitOne(store, plan);
    t.like(await judge(store, plan), { accepted: false, reason: 'stale' });
  });

  check('timers of what has ended or never was are removed, others stay', async (t, { store }) => {
    const live = await start(store);
    const ended = await start(store, { tenantId: live.tenantId });
    const gone = { executionId: makeExecutionId(), tenantId: live.tenantId };
    await commitOne(store, makePlan(ended, ENDED));
    const to = ({ executionId }: Started) => makeTimer({ name: 'child:x', executionId });
    await commitOne(store, makePlan(live, { startsTimers: [live, ended, gone].map(to) }));
    const timers = [live, ended, gone].map(({ executionId }) => ({ executionId, name: 'child:x' }));
    await store.timers.discard(timers);
    await store.timers.discard([]);
    t.is((await listDue(store, live)).length, 1);
    t.deepEqual(await listDue(store, ended), []);
    t.deepEqual(await listDue(store, gone), []);
  });

  check('webhooks hear of executions that begin with a plan', async (t, { store }) => {
    const parent = await start(store);
    const { tenantId } = parent;
    const webhookId = makeUuid();
    await store.webhooks.create({
      webhookId,
      tenantId,
      url: 'https://example.com/hook',
      eventTypes: null,
      secret: 'sealed',
      actorId: 'token:ops',
      webhooksMax: 10,
    });
    const child = makeChild(parent);
    await commitOne(store, makePlan(parent, { events: [makeEvent()], startsExecutions: [child] }));
    const told = await store.webhooks.deliveries({ webhookId, tenantId, limit: 10, offset: 0 });
    t.deepEqual(
      told?.map(({ executionId, eventType }) => [executionId, eventType]),
      [[child.executionId, 'execution.running']],
    );
    await commitOne(store, makePlan(parent, { ...ENDED, startsExecutions: [makeChild(parent)] }));
    const end = await store.webhooks.deliveries({ webhookId, tenantId, limit: 10, offset: 0 });
    t.true(end?.some(({ eventType }) => eventType === 'execution.completed'));
  });
}

const ENDED = { events: [makeEvent()], status: 'completed', revokesAll: true } as const;

function makeChild(parent: Started, changes: Partial<StartedExecution> = {}): StartedExecution {
  return {
    executionId: makeExecutionId(),
    definitionId: makeDefinitionId(),
    workflowId: 'child',
    workflowVersion: '1.0.0',
    shard: 7,
    priority: 0,
    parentExecutionId: parent.executionId,
    started: makeStarted(),
    used: null,
    waitsForPlace: false,
    takesPlaceOf: null,
    ...changes,
  };
}

async function listChildren(store: Store, parent: Started): Promise<readonly string[]> {
  const filter: ListExecutions = {
    tenantId: parent.tenantId,
    status: null,
    workflowId: null,
    parentExecutionId: parent.executionId,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 100,
    offset: 0,
  };
  return (await store.executions.list(filter)).map(({ executionId }) => executionId);
}

async function listDue(store: Store, execution: Started) {
  const due = await store.timers.listDue({ limit: 1000 });
  return due.filter(({ executionId }) => executionId === execution.executionId);
}
