import type { ExecutionContext } from 'ava';

import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { ListApprovals } from '../../../../../src/shared/store/readings/approvals.ts';
import type { CommitPlan, NewEvent } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, refuses, start, type Started } from '../drive.ts';
import { makeEvent, makePlan, makeTenantId, makeTimer } from '../make.ts';

export function approvalCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check(
    'an approval is listed from the commit that asks until a decision',
    async (t, { store }) => {
      const execution = await start(store);
      const { createdAt } = await commitOne(
        store,
        makePlan(execution, {
          events: [asked({ description: 'Pay?' })],
          startsTimers: [
            makeTimer({
              name: 'approval_timeout:review#0',
              purpose: 'approval_timeout',
              nodeId: 'review',
              when: { until: '2100-01-01T00:00:00.000Z' },
            }),
          ],
        }),
      );
      const [approval, ...others] = await listOpen(store, execution.tenantId);
      t.deepEqual(others, []);
      t.like(approval, {
        executionId: execution.executionId,
        workflowId: 'greet',
        dueAt: '2100-01-01T00:00:00.000Z',
        requested: { nodeId: 'review', sequence: 2, createdAt, payload: { description: 'Pay?' } },
      });
      t.deepEqual(await listOpen(store, makeTenantId()), []);
      t.deepEqual(await listDecided(store, execution.tenantId), []);

      await commitOne(store, makePlan(execution, { events: [decided()] }));
      t.deepEqual(await listOpen(store, execution.tenantId), []);
      const [decision] = await listDecided(store, execution.tenantId);
      t.like(decision, {
        requested: { sequence: 2 },
        received: { sequence: 3, actorId: 'token:ann', payload: { decision: 'approved' } },
      });
    },
  );

  check('an approval disappears when its wait ends otherwise', async (t, { store }) => {
    const payload = JSON.stringify({ visit: 0, purpose: 'approval_timeout' });
    const ends: readonly Partial<CommitPlan>[] = [
      { events: [makeEvent({ kind: 'TimerFired', nodeId: 'review', payload })] },
      { events: [ended('NodeCancelled', { visit: 0, reason: 'a branch failed' })] },
      { events: [ended('NodeFailed', { visit: 0, retryable: false })] },
      { events: [ended('WorkflowFailed', {})], status: 'failed', revokesAll: true },
      { events: [ended('WorkflowCancelled', {})], status: 'cancelled', revokesAll: true },
    ];
    for (const end of ends) {
      const execution = await startAsking(store);
      await commitOne(store, makePlan(execution, end));
      t.deepEqual(await listOpen(store, execution.tenantId), [], JSON.stringify(end));
      t.deepEqual(await listDecided(store, execution.tenantId), []);
    }
  });

  check('the end of another wait leaves an approval open', async (t, { store }) => {
    const execution = await startAsking(store);
    const events = [
      ended('NodeFailed', { visit: 0, retryable: true }),
      ended('NodeFailed', { visit: 1, retryable: false }),
      ended('NodeCancelled', { visit: 0, reason: 'other' }, 'other'),
      makeEvent({
        kind: 'TimerFired',
        nodeId: 'review',
        payload: JSON.stringify({ visit: 0, purpose: 'function_wait', step: 'other' }),
      }),
    ];
    await commitOne(store, makePlan(execution, { events }));
    t.is((await listOpen(store, execution.tenantId)).length, 1);
  });

  check('a function may wait for several approvals of one visit', async (t, { store }) => {
    const execution = await start(store);
    const events = [asked({ step: 'first' }), asked({ step: 'second' })];
    await commitOne(store, makePlan(execution, { events }));
    await commitOne(store, makePlan(execution, { events: [decided({ step: 'second' })] }));
    t.deepEqual(await openSteps(store, execution), ['first']);
    await commitOne(
      store,
      makePlan(execution, { events: [ended('NodeCancelled', { visit: 0, reason: 'x' })] }),
    );
    t.deepEqual(await openSteps(store, execution), []);
    t.is((await listDecided(store, execution.tenantId)).length, 1);
  });

  check('the oldest open approval of each execution is found', async (t, { store }) => {
    const execution = await start(store);
    const { tenantId, executionId } = execution;
    const executionIds = [executionId, (await startAsking(store)).executionId];
    const find = () => store.approvals.findOldestOpen({ tenantId, executionIds });
    t.deepEqual(await find(), []);
    const events = [asked({ step: 'first' }), asked({ step: 'second' })];
    const { createdAt } = await commitOne(store, makePlan(execution, { events }));
    const oldest = { executionId, nodeId: 'review', requestedAt: createdAt };
    t.deepEqual(await find(), [{ ...oldest, step: 'first' }]);
    await commitOne(store, makePlan(execution, { events: [decided({ step: 'first' })] }));
    t.deepEqual(await find(), [{ ...oldest, step: 'second' }]);
    await commitOne(store, makePlan(execution, { events: [decided({ step: 'second' })] }));
    t.deepEqual(await find(), []);
  });

  check('a commit that asks and ends the wait leaves nothing open', async (t, { store }) => {
    const execution = await start(store);
    const events = [asked(), ended('NodeCancelled', { visit: 0, reason: 'x' })];
    await commitOne(store, makePlan(execution, { events }));
    t.deepEqual(await listOpen(store, execution.tenantId), []);
  });

  check('a decision and a second question in one commit are both listed', async (t, { store }) => {
    const execution = await startAsking(store);
    await commitOne(store, makePlan(execution, { events: [decided(), asked()] }));
    const [second, ...others] = await listOpen(store, execution.tenantId);
    t.deepEqual(others, []);
    t.is(second?.requested.sequence, 4);
    const [first] = await listDecided(store, execution.tenantId);
    t.is(first?.requested.sequence, 2);
  });

  check('a refused commit changes no approval', async (t, database) => {
    const execution = await startAsking(database.store);
    const plan = makePlan(execution, { expectedSequence: 1, events: [decided()] });
    await refuses(t, database, { plan, reason: 'moved' });
  });

  check('approvals are read in pages, and by workflow', async (t, { store }) => {
    const tenantId = makeTenantId();
    for (const workflowId of ['pay', 'ship', 'pay']) {
      const execution = await start(store, { tenantId, create: { workflowId } });
      await commitOne(store, makePlan(execution, { events: [asked()] }));
    }
    const all = await listOpen(store, tenantId);
    t.is(all.length, 3);
    t.is((await listOpen(store, tenantId, { workflowId: 'pay' })).length, 2);
    t.deepEqual(await readPages(store, tenantId), all);
    await decideAll(t, store, tenantId);
    t.is((await listDecided(store, tenantId, { workflowId: 'ship' })).length, 1);
    t.is((await listDecided(store, tenantId, { limit: 2 })).length, 2);
  });
}

async function readPages(store: Store, tenantId: TenantId) {
  const read: Awaited<ReturnType<typeof listOpen>>[number][] = [];
  for (;;) {
    const last = read.at(-1);
    const cursor = last
      ? {
          at: last.requested.createdAt,
          executionId: last.executionId,
          sequence: last.requested.sequence,
        }
      : null;
    const page = await listOpen(store, tenantId, { limit: 1, cursor });
    if (page.length === 0) return read;
    read.push(...page);
  }
}

async function decideAll(t: ExecutionContext, store: Store, tenantId: TenantId): Promise<void> {
  for (const { executionId } of await listOpen(store, tenantId)) {
    await commitOne(store, makePlan({ executionId, tenantId }, { events: [decided()] }));
  }
  t.deepEqual(await listOpen(store, tenantId), []);
}

async function startAsking(store: Store): Promise<Started> {
  const execution = await start(store);
  await commitOne(store, makePlan(execution, { events: [asked()] }));
  return execution;
}

async function openSteps(store: Store, { tenantId }: Started) {
  const open = await listOpen(store, tenantId);
  return open.map(({ requested }) => requested.payload.step);
}

function listOpen(store: Store, tenantId: TenantId, changes: Partial<ListApprovals> = {}) {
  return store.approvals.listOpen({ ...ALL, tenantId, ...changes });
}

function listDecided(store: Store, tenantId: TenantId, changes: Partial<ListApprovals> = {}) {
  return store.approvals.listDecided({ ...ALL, tenantId, ...changes });
}

const ALL = { limit: 50, workflowId: null, nodeId: null, cursor: null } as const;

function asked(changes: { readonly description?: string; readonly step?: string } = {}): NewEvent {
  return ended('ApprovalRequested', { visit: 0, description: null, timeout_ms: null, ...changes });
}

function decided(changes: { readonly step?: string } = {}): NewEvent {
  const payload = { visit: 0, decision: 'approved', user_id: null, comment: null, ...changes };
  return { ...ended('ApprovalReceived', payload), actorId: 'token:ann' };
}

function ended(kind: NewEvent['kind'], payload: object, nodeId = 'review'): NewEvent {
  return makeEvent({ kind, nodeId, payload: JSON.stringify(payload) });
}
