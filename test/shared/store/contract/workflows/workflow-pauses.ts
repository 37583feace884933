import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { WorkflowPause } from '../../../../../src/shared/domain/workflow/workflow-pause.ts';
import type { CommitPlan, WorkflowHold } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, claim, commitOne, judge, refuses, start, type Started } from '../drive.ts';
import {
  makeDefinitionId,
  makeEvent,
  makeExecutionId,
  makeItem,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
  makeUuid,
} from '../make.ts';

const WORKFLOW = 'greet';

/** A tenant with two versions of the workflow. */
async function makeTenant(store: Store, workflowId = WORKFLOW): Promise<TenantId> {
  const tenantId = makeTenantId();
  for (const version of ['1', '2']) {
    await store.definitions.register({
      definitionId: makeDefinitionId(),
      tenantId,
      workflowId,
      version,
      irHash: version,
      ir: {},
      actorId: 'token:ci',
    });
  }
  return tenantId;
}

function pause(
  store: Store,
  tenantId: TenantId,
  reason: string | null = null,
  workflowId = WORKFLOW,
) {
  const of = { tenantId, workflowId, pauseId: makeUuid(), actorId: 'token:ops', reason };
  return store.workflowPauses.pause(of);
}

const resume = (store: Store, tenantId: TenantId, workflowId = WORKFLOW) =>
  store.workflowPauses.resume({ tenantId, workflowId, actorId: 'token:ops' });

async function pauseNew(store: Store, tenantId: TenantId): Promise<WorkflowPause> {
  const paused = await pause(store, tenantId);
  if (paused === null) throw new Error('there is no such workflow');
  return paused;
}

const hold = (is: WorkflowHold['is']) => ({ workflowId: WORKFLOW, is });

function holding(execution: Started, is: WorkflowHold['is']): CommitPlan {
  const kind = is === 'put' ? 'ExecutionPaused' : 'ExecutionResumed';
  const event = makeEvent({ kind, nodeId: null, payload: '{"scope":"workflow","by":"token:ops"}' });
  return makePlan(execution, {
    events: [event],
    workflowHold: hold(is),
    ...(is === 'put' && { status: 'paused', waitingItems: 'hold' }),
    ...(is === 'lift' && { status: 'running', waitingItems: 'release' }),
  });
}

async function heldBy(store: Store, given: WorkflowPause) {
  return store.workflowPauses.listHeld({ pause: given, after: null, limit: 100 });
}

/** Pauses of whole workflows, and the executions that they hold. */
export function workflowPauseCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a pause of a workflow is kept with who, why and when', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    t.is(await pause(store, tenantId, null, 'unknown'), null);
    t.is(await pause(store, makeTenantId()), null);
    t.is(await resume(store, tenantId), null);
    const paused = await pause(store, tenantId, 'the provider is down');
    t.like(paused, {
      tenantId,
      workflowId: WORKFLOW,
      by: 'token:ops',
      reason: 'the provider is down',
      sweptAt: null,
      resumed: null,
    });
    t.regex(paused?.pausedAt ?? '', /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    t.deepEqual(await pause(store, tenantId, 'another'), paused);
    const found = await store.workflowPauses.find({
      tenantId,
      workflowIds: [WORKFLOW, 'unknown'],
      countMax: 10,
    });
    t.deepEqual(found, paused === null ? [] : [{ ...paused, held: 0 }]);
    const others = { tenantId: makeTenantId(), workflowIds: [WORKFLOW], countMax: 10 };
    t.deepEqual(await store.workflowPauses.find(others), []);

    const resumed = await resume(store, tenantId);
    t.is(resumed?.pauseId, paused?.pauseId);
    t.is(resumed?.resumed?.by, 'token:ops');
    t.is(await resume(store, tenantId), null);
    const anew = await pause(store, tenantId);
    t.not(anew?.pauseId, paused?.pauseId);
    t.like(anew, { reason: null, resumed: null, sweptAt: null });
  });

  check('each pause and resumption leaves one audit item', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const pauses = await atOnce(10, (n) => pause(store, tenantId, `reason ${n}`));
    t.is(new Set(pauses.map((each) => each?.pauseId)).size, 1);
    const resumptions = await atOnce(10, () => resume(store, tenantId));
    t.is(resumptions.filter((each) => each !== null).length, 1);
    for (const eventType of ['workflow_paused', 'workflow_resumed']) {
      const { total, items } = await store.audit.list({
        tenantId,
        eventType,
        executionId: null,
        actorId: null,
        limit: 10,
        offset: 0,
      });
      t.is(total, 1, eventType);
      t.is(items[0]?.actorId, 'token:ops');
    }
  });

  check(
    'starts and readings see a pause from its answer on, and no longer than its resumption',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const execution = await start(store, { tenantId });
      const seen = async () => {
        const latest = await store.definitions.latestId({
          tenantId,
          workflowId: WORKFLOW,
          version: '1',
        });
        const loaded = await store.executions.load(execution.executionId, null);
        const own = await store.executions.load(execution.executionId, tenantId);
        t.deepEqual(loaded?.workflowPause, latest?.workflowPause);
        t.deepEqual(own?.workflowPause, latest?.workflowPause);
        return latest?.workflowPause;
      };
      t.is(await seen(), null);
      const paused = await pause(store, tenantId, 'down');
      t.deepEqual(await seen(), { by: 'token:ops', reason: 'down', pausedAt: paused?.pausedAt });
      const both = await atOnce(2, () => store.executions.load(execution.executionId, null));
      t.true(both.every((loaded) => loaded?.workflowPause?.reason === 'down'));
      await resume(store, tenantId);
      t.is(await seen(), null);
    },
  );

  check(
    'executions are held while the pause stands, and given back when it does not',
    async (t, database) => {
      const { store } = database;
      const tenantId = await makeTenant(store);
      const execution = await start(store, { tenantId });
      await refuses(t, database, { plan: holding(execution, 'put'), reason: 'workflow_resumed' });
      const paused = await pauseNew(store, tenantId);
      const item = makeItem(makeTicket(execution));
      await commitOne(store, makePlan(execution, { newItems: [item] }));
      await commitOne(store, holding(execution, 'put'));
      t.deepEqual(await claim(store, tenantId), []);
      t.deepEqual(await heldBy(store, paused), [execution.executionId]);
      await refuses(t, database, { plan: holding(execution, 'lift'), reason: 'workflow_paused' });
      t.false(await store.workflowPauses.finish(paused));

      await resume(store, tenantId);
      await refuses(t, database, { plan: holding(execution, 'put'), reason: 'workflow_resumed' });
      t.false(await store.workflowPauses.finish(paused));
      await commitOne(store, holding(execution, 'lift'));
      await store.timers.promoteRetries({ limit: 100 });
      t.is((await claim(store, tenantId)).length, 1);
      t.deepEqual(await heldBy(store, paused), []);
      t.true(await store.workflowPauses.finish(paused));
      t.false(await store.workflowPauses.finish(paused));
    },
  );

  check('an execution begins held, or not at all', async (t, database) => {
    const { store } = database;
    const tenantId = await makeTenant(store);
    const request = { key: 'k', bodyHash: 'h' };
    const begin = (): CommitPlan =>
      makePlan(
        { executionId: makeExecutionId(), tenantId },
        {
          create: makeNewExecution({ request, limits: { executionsMax: 1, queuedItemsMax: null } }),
          events: [makeStarted(), makeEvent({ kind: 'ExecutionPaused', nodeId: null })],
          status: 'paused',
          workflowHold: hold('put'),
        },
      );
    await refuses(t, database, { plan: begin(), reason: 'workflow_resumed' });
    const paused = await pauseNew(store, tenantId);
    const plan = begin();
    t.is((await commitOne(store, plan)).lastSequence, 2);
    t.deepEqual(await heldBy(store, paused), [plan.executionId]);
    // The limits and keys of starts still apply.
    const again = await judge(store, begin());
    t.like(again, { accepted: false, reason: 'duplicate_request' });
    const other = makePlan(
      { executionId: makeExecutionId(), tenantId },
      {
        ...begin(),
        create: makeNewExecution({ limits: { executionsMax: 1, queuedItemsMax: null } }),
      },
    );
    const executionId = makeExecutionId();
    t.like(await judge(store, { ...other, executionId }), { reason: 'executions_limited' });
  });

  check('plans of one batch are judged each by its own workflow', async (t, { store }) => {
    const [free, held] = [await makeTenant(store), await makeTenant(store)];
    const paused = await pauseNew(store, held);
    const [one, two] = [
      await start(store, { tenantId: free }),
      await start(store, { tenantId: held }),
    ];
    const plain = await start(store, { tenantId: held });
    const verdicts = await store.executions.commit([
      holding(one, 'put'),
      holding(two, 'put'),
      makePlan(plain, { events: [makeEvent()] }),
    ]);
    t.deepEqual(
      verdicts.map(({ accepted }) => accepted),
      [false, true, true],
    );
    t.deepEqual(await heldBy(store, paused), [two.executionId]);
  });

  check(
    'live executions that are not held are listed once, newest first, and by status',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const made: Started[] = [];
      for (let n = 0; n < 5; n += 1) made.push(await start(store, { tenantId }));
      const other = await start(store, { tenantId, create: { workflowId: 'other' } });
      const waiting = await start(store, { tenantId, changes: { status: 'paused' } });
      const ended = await start(store, { tenantId, changes: { status: 'completed' } });
      const paused = await pauseNew(store, tenantId);
      const [gone] = made;
      if (gone === undefined) return t.fail('five were made');
      await commitOne(store, holding(gone, 'put'));
      const listed: string[] = [];
      let after: Parameters<typeof store.workflowPauses.listFree>[0]['after'] = null;
      for (;;) {
        const page = await store.workflowPauses.listFree({
          pause: paused,
          status: 'running',
          after,
          limit: 2,
        });
        listed.push(...page.map(({ executionId }) => executionId));
        after = page.at(-1) ?? null;
        if (page.length < 2) break;
      }
      const expected = made.slice(1).map(({ executionId }) => executionId);
      t.deepEqual(listed.toSorted(), expected.toSorted());
      const rest = await store.workflowPauses.listFree({
        pause: paused,
        status: 'paused',
        after: null,
        limit: 9,
      });
      t.deepEqual(
        rest.map(({ executionId }) => executionId),
        [waiting.executionId],
      );
      t.false(listed.includes(other.executionId) || listed.includes(ended.executionId));
    },
  );

  check(
    'a cancel leaves nothing behind, and what was left is forgotten once resumed',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const [one, two] = [await start(store, { tenantId }), await start(store, { tenantId })];
      const paused = await pauseNew(store, tenantId);
      await commitOne(store, holding(one, 'put'));
      await commitOne(store, holding(two, 'put'));
      const cancel = { status: 'cancelled' as const, revokesAll: true };
      await commitOne(store, makePlan(one, { ...cancel, workflowHold: hold('drop') }));
      t.deepEqual(await heldBy(store, paused), [two.executionId]);
      // A version without workflow pauses cancels like this.
      await commitOne(store, makePlan(two, cancel));
      await store.workflowPauses.forget(paused, [two.executionId]);
      t.deepEqual(await heldBy(store, paused), [two.executionId]);
      await resume(store, tenantId);
      await store.workflowPauses.forget(paused, [two.executionId]);
      t.deepEqual(await heldBy(store, paused), []);
    },
  );

  check('a reading of one pause is not taken for the next one', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const execution = await start(store, { tenantId });
    const first = await pauseNew(store, tenantId);
    await commitOne(store, holding(execution, 'put'));
    await resume(store, tenantId);
    const second = await pauseNew(store, tenantId);
    await store.workflowPauses.noteSwept(first);
    await store.workflowPauses.forget(first, [execution.executionId]);
    t.deepEqual(await heldBy(store, second), [execution.executionId]);
    const of = { tenantId, workflowIds: [WORKFLOW], countMax: 1 };
    t.like((await store.workflowPauses.find(of))[0], { sweptAt: null, held: 1 });
    await store.workflowPauses.noteSwept(second);
    t.truthy((await store.workflowPauses.find(of))[0]?.sweptAt);
    await commitOne(store, makePlan(execution, { workflowHold: hold('drop') }));
    await resume(store, tenantId);
    t.false(await store.workflowPauses.finish(first));
    t.true(await store.workflowPauses.finish(second));
  });

  check('pauses of all tenants are listed page by page', async (t, { store }) => {
    const tenants = [await makeTenant(store), await makeTenant(store)];
    for (const tenantId of tenants) {
      await pauseNew(store, tenantId);
      await makeTenant(store);
    }
    const all: WorkflowPause[] = [];
    for (;;) {
      const page = await store.workflowPauses.list({ after: all.at(-1) ?? null, limit: 1 });
      all.push(...page);
      if (page.length === 0) break;
    }
    const seen = all.map(({ tenantId }) => tenantId).filter((id) => tenants.includes(id));
    t.deepEqual(seen, tenants.toSorted());
  });

  check(
    'holds, resumptions and new pauses that meet leave nothing held forever',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const made = await atOnce(20, () => start(store, { tenantId }));
      await pauseNew(store, tenantId);
      await Promise.all([
        ...made.map((execution) => judge(store, holding(execution, 'put'))),
        resume(store, tenantId),
        ...made.map((execution) => judge(store, holding(execution, 'lift'))),
        pause(store, tenantId),
        resume(store, tenantId),
      ]);
      const last = await resume(store, tenantId);
      const of = { tenantId, workflowIds: [WORKFLOW], countMax: 100 };
      const [found] = await store.workflowPauses.find(of);
      t.is(last === null || last.pauseId === found?.pauseId, true);
      if (found === undefined) return t.fail('a pause remains until it is finished');
      for (const executionId of await heldBy(store, found)) {
        await commitOne(store, holding({ executionId, tenantId }, 'lift'));
      }
      t.true(await store.workflowPauses.finish(found));
    },
  );
}
