import test from 'ava';

import { ContinueAsNewError, type FunctionContext } from 'svc-sdk/worker';

import { Crash, MemoryRuntime } from './support/memory-runtime.ts';

interface Count {
  readonly count?: number;
}

async function countTo(ctx: FunctionContext, input: Count, last: number): Promise<unknown> {
  const count = await ctx.step('add', () => (input.count ?? 0) + 1);
  await ctx.sleep('1h');
  return count < last ? ctx.continueAsNew({ count }) : { count };
}

test('each visit has the input that the one before continued with', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runToEnd((ctx, input: Count) => countTo(ctx, input, 4));
  t.like(outcome, { kind: 'completed', output: { count: 4 } });
  t.deepEqual(runtime.inputs, [{}, { count: 1 }, { count: 2 }, { count: 3 }]);
  t.deepEqual(
    runtime.entries.map(({ identity }) => identity),
    ['add', 'sleep'],
  );
});

test('a crash before the next visit repeats no step', async (t) => {
  let adds = 0;
  let crashes = 0;
  const runtime = new MemoryRuntime({
    meet: (point) => {
      if (point !== 'before the next visit' || crashes === 1) return;
      crashes += 1;
      throw new Crash();
    },
  });
  const outcome = await runtime.runToEnd(async (ctx, { count = 0 }: Count) => {
    await ctx.step('add', () => (adds += 1));
    return count < 2 ? ctx.continueAsNew({ count: count + 1 }) : { count };
  });
  t.like(outcome, { kind: 'completed', output: { count: 2 } });
  t.deepEqual([crashes, adds], [1, 3]);
});

test('the input is kept as it is at the call', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runOne(async (ctx) => {
    const state = { seen: [new Date(0)] };
    try {
      return ctx.continueAsNew(state);
    } finally {
      state.seen.pop();
    }
  });
  t.deepEqual(outcome, {
    kind: 'continued',
    input: { seen: ['1970-01-01T00:00:00.000Z'] },
    entries: [],
  });
});

test('steps under way end first, and their entries ride along', async (t) => {
  const ended: string[] = [];
  let mayEnd = () => undefined as void;
  const slow = new Promise<void>((resolve) => (mayEnd = resolve));
  const outcome = await new MemoryRuntime().runOne(async (ctx) => {
    void ctx.step('slow', () => slow.then(() => void ended.push('slow')));
    await ctx.step('quick', () => null);
    setImmediate(() => mayEnd());
    return ctx.continueAsNew({});
  });
  t.like(outcome, { kind: 'continued', entries: [{ identity: 'slow', output: null }] });
  t.deepEqual(ended, ['slow']);
});

test('a step that a stop cuts off stays with this visit', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runOne(async (ctx) => {
    void ctx.step('endless', () => new Promise(() => undefined));
    await ctx.step('quick', () => null);
    setImmediate(() => runtime.kill());
    return ctx.continueAsNew({});
  });
  t.like(outcome, { kind: 'stopped' });
  t.is(runtime.inputs.length, 1);
});

test('a branch continues for the whole function', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) =>
    ctx.race([
      async (branch) => branch.waitForEvent('more'),
      async (branch) => {
        await branch.step('count', () => 1);
        return branch.continueAsNew({ from: 'branch' });
      },
    ]),
  );
  t.like(outcome, { kind: 'continued', input: { from: 'branch' } });
});

test('a branch that has lost its race continues nothing', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) => {
    const winner = await ctx.race([
      async (branch) => branch.step('quick', () => 'quick'),
      async (branch) => {
        await branch.step('slow', () => new Promise((resolve) => setImmediate(resolve)));
        return branch.continueAsNew({});
      },
    ]);
    for (let round = 0; round < 3; round += 1) await ctx.step('count', () => round);
    return { winner };
  });
  t.like(outcome, { kind: 'completed', output: { winner: 'quick' } });
});

const CAUGHT = {
  kind: 'failed',
  errorClass: 'ContinueAsNewError',
  isFinal: true,
  message:
    'The code caught the signal of ctx.continueAsNew(), so the function did not end there. ' +
    'Write `return ctx.continueAsNew(input)` outside of try blocks, or throw the signal again.',
};

const CATCHES: Readonly<Record<string, (ctx: FunctionContext) => Promise<unknown>>> = {
  'and returns': async () => ({}),
  'and throws another error': async () => {
    throw new Error('other');
  },
  'and begins a step': async (ctx) => ctx.step('late', () => ({})),
  'and waits': async (ctx) => ctx.waitForEvent('never'),
};

for (const [how, then] of Object.entries(CATCHES)) {
  test(`code that catches the signal ${how} fails permanently`, async (t) => {
    const runtime = new MemoryRuntime();
    const outcome = await runtime.runOne(async (ctx) => {
      try {
        return ctx.continueAsNew({});
      } catch {
        return then(ctx);
      }
    });
    t.like(outcome, CAUGHT);
    t.deepEqual([runtime.entries, runtime.waits.size], [[], 0]);
  });
}

test('code that throws the signal again continues', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) => {
    try {
      return ctx.continueAsNew({ count: 1 });
    } catch (error) {
      ctx.logger.warn({ error: String(error) }, 'seen');
      throw error;
    }
  });
  t.like(outcome, { kind: 'continued', input: { count: 1 } });
});

test('a registered rollback refuses the call at once', async (t) => {
  let refused: unknown = null;
  const outcome = await new MemoryRuntime().runOne(async (ctx) => {
    ctx.onRollback('refund', () => undefined);
    try {
      return ctx.continueAsNew({});
    } catch (error) {
      refused = error;
    }
    return ctx.step('charge', () => ({ charged: true }));
  });
  t.true(refused instanceof ContinueAsNewError);
  t.regex(String(refused), /registered rollbacks.*in a child, with ctx\.call\(\)/);
  t.like(outcome, { kind: 'completed', output: { charged: true } });
});

test('an input that is no JSON object fails the function permanently', async (t) => {
  for (const input of [null, 'text', [1], new Date(0)]) {
    const outcome = await new MemoryRuntime().runOne(async (ctx) => ctx.continueAsNew(input));
    t.like(outcome, { kind: 'failed', errorClass: 'NonRetryableError', isFinal: true });
  }
});

test('the code of a step cannot continue the function', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) =>
    ctx.step('outer', () => ctx.continueAsNew({}), { retry: { maxAttempts: 1 } }),
  );
  t.regex((outcome as { message: string }).message, /ctx is not for the code of a step/);
});

test('code that continues before it asked for a recorded step has changed', async (t) => {
  const runtime = new MemoryRuntime();
  await runtime.runOne(async (ctx) => {
    await ctx.step('charge', () => 1);
    await ctx.sleep('1h');
  });
  const outcome = await runtime.runOne(async (ctx) => ctx.continueAsNew({}));
  t.like(outcome, { kind: 'failed', errorClass: 'NonDeterminismError' });
  t.regex((outcome as { message: string }).message, /step "charge".*nothing more/);
});
