import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { CommitPlan } from '../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { openScene, parentOf } from './child-scene.ts';

/* A process dies around one commit; the next process continues, exactly once. */

const LOOP = {
  start_node: 'count',
  nodes: { count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
  edges: [{ from: 'count', to: 'count', condition: 'state.n < 60' }],
  continue_as_new: { after_events: 100 },
};

const COMMITS: Readonly<Record<string, (plan: CommitPlan) => boolean>> = {
  'the start of a child': ({ startsExecutions }) =>
    startsExecutions.some(({ started }) => started.payload.includes('"depth":1')),
  'the start of the next run': ({ startsExecutions }) =>
    startsExecutions.some(({ started }) => started.payload.includes('"continued_from"')),
  'the end of a child': ({ startsTimers }) =>
    startsTimers.some(({ purpose }) => purpose === 'child_ended'),
  'telling the parent': ({ firesTimers }) => firesTimers.some((name) => name.startsWith('child:')),
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const [what, isLast] of Object.entries(COMMITS)) {
    for (const when of ['before', 'after'] as const) {
      test(`${dialect}: a process that dies right ${when} ${what}`, async (t) => {
        const svc = await openScene(t, dialect);
        await svc.register('child', LOOP);
        const retry_policy = { max_attempts: 3, initial_delay: 0 };
        const ir = parentOf({ output_mapping: { total: '$output.n' } }, { retry_policy });
        const id = await svc.start(ir, { n: 0 });
        await dieAround(svc.store, { isLast, when });
        await svc.opened.age({ table: 'work_leases', columns: ['expires_at'], byMs: 3_600_000 });
        await svc.settle();
        t.like(await svc.read(id), { status: 'completed', data: { total: 60 } });
        const story = await svc.story(id);
        for (const kind of ['ChildWorkflowStarted', 'ChildWorkflowCompleted', 'NodeCompleted']) {
          t.is(story.filter((line) => line === `${kind} sub`).length, 1);
        }
        // The runs of exactly one child.
        const runs = await svc.children(id);
        t.deepEqual(await chainFrom(svc, runs[0]?.executionId), runs.map(idOf));
        t.true(runs.every(({ status }) => status === 'completed'));
        t.is(await svc.store.timers.nextDueInMs(), null);
        t.deepEqual(svc.troubles, []);
      });
    }
  }

  for (const when of ['before', 'after'] as const) {
    test(`${dialect}: a process that dies right ${when} it cancels a child`, async (t) => {
      const svc = await openScene(t, dialect);
      const wait = { kind: { type: 'wait', condition: 'external_event' } };
      await svc.register('child', { nodes: { wait } });
      const id = await svc.start(parentOf());
      await svc.settle();
      await svc.cancel(id);
      const isLast = ({ firesTimers }: CommitPlan) => firesTimers.includes('parent_ended');
      await dieAround(svc.store, { isLast, when });
      await svc.settle();
      const child = await svc.child(id);
      t.is(child.status, 'cancelled');
      t.is(
        (await svc.story(child.executionId)).filter((line) => line.startsWith('Workflow')).length,
        2,
      );
      t.is(await svc.store.timers.nextDueInMs(), null);
    });
  }
}

/** Runs another process until it dies: from then on it gets no answer and changes nothing. */
async function dieAround(
  store: Store,
  of: { readonly isLast: (plan: CommitPlan) => boolean; readonly when: 'before' | 'after' },
): Promise<void> {
  const dead = Promise.withResolvers<void>();
  const fate = { isDead: false };
  const never = new Promise<never>(() => undefined);
  const { executions } = store;
  const mortal: Store = {
    ...store,
    executions: {
      ...executions,
      async commit(plans) {
        if (fate.isDead) return never;
        if (!plans.some(of.isLast)) return executions.commit(plans);
        fate.isDead = true;
        if (of.when === 'after') await executions.commit(plans);
        dead.resolve();
        return never;
      },
    },
  };
  const process = openTestEngine({ store: mortal });
  void (async () => {
    while (!fate.isDead) await process.turn();
  })();
  await dead.promise;
}

async function chainFrom(
  svc: Awaited<ReturnType<typeof openScene>>,
  first: ExecutionId | undefined,
): Promise<readonly ExecutionId[]> {
  const runs: ExecutionId[] = [];
  for (let next = first ?? null; next !== null;) {
    runs.push(next);
    next = (await svc.read(next)).state.continuedAs;
  }
  return runs;
}

function idOf({ executionId }: { readonly executionId: ExecutionId }): ExecutionId {
  return executionId;
}
