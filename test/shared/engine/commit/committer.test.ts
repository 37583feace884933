import test from 'ava';

import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import { createCommitter } from '../../../../src/shared/engine/commit/committer.ts';
import type { Timers } from '../../../../src/shared/engine/scheduling/timers.ts';
import {
  type CommitPlan,
  type CommitVerdict,
  emptyCommit,
} from '../../../../src/shared/store/commit.ts';
import { createVirtualTimers } from '../../../scheduler/virtual-timers.ts';

const ACCEPTED: CommitVerdict = { accepted: true, lastSequence: 1, createdAt: '', fences: [] };

/** A store whose commits end when the test says so, in the order of their arrival. */
function openCommitter(given: { readonly lanes?: number; readonly timers?: Timers } = {}) {
  const sent: { readonly names: readonly string[]; readonly end: () => void }[] = [];
  const committer = createCommitter({
    executions: {
      commit: (plans) =>
        new Promise((resolve) => {
          const end = () => resolve(plans.map(() => ACCEPTED));
          sent.push({ names: plans.map(({ executionId }) => executionId), end });
        }),
    },
    report: { count: () => undefined, observe: () => undefined, trouble: () => undefined },
    timers: createVirtualTimers(),
    ...given,
  });
  return {
    committer,
    sizes: () => sent.map(({ names }) => names.length),
    names: (batch: number) => sent[batch]?.names,
    /** Ends a batch; the consequences of its verdicts have happened when this resolves. */
    end: async (batch: number): Promise<void> => {
      sent[batch]?.end();
      await turn();
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function planOf(name: number | string): CommitPlan {
  return emptyCommit({ executionId: `${name}` as ExecutionId, tenantId: 't' as TenantId });
}

const MANY = Array.from({ length: 64 }, (_, index) => index);

test('the lanes share the plans of one turn of the event loop', async (t) => {
  const { committer, sizes } = openCommitter();
  for (const name of MANY) void committer.commit(planOf(name));
  t.deepEqual(sizes(), []);
  await turn();
  t.deepEqual(sizes(), [32, 32]);
});

test('a store with one writer is given everything at once', async (t) => {
  const { committer, sizes } = openCommitter({ lanes: 1 });
  for (const name of MANY) void committer.commit(planOf(name));
  await turn();
  t.deepEqual(sizes(), [64]);
});

test('executions that follow each verdict with a commit keep both lanes busy', async (t) => {
  const { committer, sizes, end } = openCommitter();
  for (const name of MANY) {
    void (async () => {
      for (;;) await committer.commit(planOf(name));
    })();
  }
  await turn();
  for (let batch = 0; batch < 6; batch += 1) await end(batch);
  // A batch of the same executions followed each ended batch, beside that of the other lane.
  t.deepEqual(sizes(), [32, 32, 32, 32, 32, 32, 32, 32]);
});

test('a few plans wait for the batch that is under way', async (t) => {
  const { committer, sizes, names, end } = openCommitter();
  for (const name of MANY) void committer.commit(planOf(name));
  await turn();
  await end(0);
  void committer.commit(planOf('late 1'));
  await turn();
  void committer.commit(planOf('late 2'));
  await turn();
  t.deepEqual(sizes(), [32, 32]);
  await end(1);
  t.deepEqual(names(2), ['late 1', 'late 2']);
});

test('few executions go together, in one batch after the other', async (t) => {
  const { committer, sizes, end } = openCommitter();
  for (const name of MANY.slice(0, 20)) {
    void (async () => {
      for (;;) await committer.commit(planOf(name));
    })();
  }
  await turn();
  for (let batch = 0; batch < 3; batch += 1) await end(batch);
  t.deepEqual(sizes(), [20, 20, 20, 20]);
});

test('a batch that is held up is not waited for', async (t) => {
  const timers = createVirtualTimers();
  const { committer, names } = openCommitter({ timers });
  void committer.commit(planOf('held up'));
  await timers.advance(0);
  void committer.commit(planOf('a'));
  await timers.advance(15);
  void committer.commit(planOf('b'));
  await timers.advance(0);
  t.deepEqual([names(0), names(1)], [['held up'], undefined]);
  await timers.advance(10);
  t.deepEqual(names(1), ['a', 'b']);
});

test('a plan that goes ahead takes a free lane at once, and comes first in a batch', async (t) => {
  const { committer, names, end } = openCommitter();
  for (const name of MANY) void committer.commit(planOf(name));
  await turn();
  await end(0);
  void committer.commit(planOf('cancel'), { ahead: true });
  await turn();
  t.deepEqual(names(2), ['cancel']);
  void committer.commit(planOf('other'));
  void committer.commit(planOf('hot'));
  void committer.commit(planOf('hot'), { ahead: true });
  await end(1);
  t.deepEqual(names(3), ['hot', 'other']);
  await end(2);
  await end(3);
  t.deepEqual(names(4), ['hot']);
});

test('a batch holds one of many plans of one execution', async (t) => {
  const { committer, names, end } = openCommitter({ lanes: 1 });
  for (const name of ['a', 'a', 'b', 'a']) void committer.commit(planOf(name));
  await turn();
  await end(0);
  await end(1);
  t.deepEqual([names(0), names(1), names(2)], [['a', 'b'], ['a'], ['a']]);
});

test('it is idle once nothing waits and nothing is under way', async (t) => {
  const { committer, end } = openCommitter({ lanes: 1 });
  let isIdle = false;
  void committer.commit(planOf('a'));
  void committer.idle().then(() => (isIdle = true));
  await turn();
  void committer.commit(planOf('b'));
  await end(0);
  t.false(isIdle);
  await end(1);
  t.true(isIdle);
});
