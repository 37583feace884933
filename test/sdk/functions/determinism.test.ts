import test from 'ava';

import type { FunctionContext } from 'svc-sdk/worker';

import { MemoryRuntime } from './support/memory-runtime.ts';

async function suspended(run: (ctx: FunctionContext) => Promise<unknown>): Promise<MemoryRuntime> {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runOne(run);
  if (outcome?.kind !== 'suspended') throw new Error(`not suspended: ${JSON.stringify(outcome)}`);
  runtime.satisfyOne();
  return runtime;
}

const original = async (ctx: FunctionContext) => {
  await ctx.step('reserve', () => 1);
  await ctx.step('charge', () => 2);
  await ctx.sleep('1h');
  return 'sent';
};

test('another kind under a recorded name is reported, with both', async (t) => {
  const runtime = await suspended(original);
  t.like(
    await runtime.runOne(async (ctx) => {
      await ctx.step('reserve', () => 1);
      await ctx.sleep('charge', '1h');
    }),
    {
      kind: 'failed',
      errorClass: 'NonDeterminismError',
      isFinal: false,
      message:
        'The journal has step "charge", and the code asks for timer "charge". ' +
        'Run the code that recorded the journal, or branch with ctx.version().',
    },
  );
});

test('a step put between recorded ones is reported before it runs', async (t) => {
  const runtime = await suspended(original);
  let ran = 0;
  const outcome = await runtime.runOne(async (ctx) => {
    await ctx.step('reserve', () => 1);
    await ctx.step('check', () => (ran += 1));
    await ctx.step('charge', () => 2);
    await ctx.sleep('1h');
  });
  t.like(outcome, { kind: 'failed', errorClass: 'NonDeterminismError' });
  t.regex((outcome as { message: string }).message, /has step "charge", .* for step "check"/);
  t.is(ran, 0);
});

test('a recorded step that the code left out is reported when the function returns', async (t) => {
  const runtime = await suspended(original);
  const outcome = await runtime.runOne(async (ctx) => {
    await ctx.step('reserve', () => 1);
    return 'sent';
  });
  t.like(outcome, { kind: 'failed', errorClass: 'NonDeterminismError' });
  t.regex((outcome as { message: string }).message, /has step "charge", .* for nothing more/);
});

test('code that awaits something outside between its steps is no other code', async (t) => {
  const run = async (ctx: FunctionContext) => {
    await ctx.step('reserve', () => 1);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await ctx.step('charge', () => 2);
    await ctx.sleep('1h');
    return 'sent';
  };
  const runtime = await suspended(run);
  t.like(await runtime.runOne(run), { kind: 'completed', output: 'sent' });
});

test('an execution keeps the version that it began with', async (t) => {
  const changed = async (ctx: FunctionContext) => {
    const version = ctx.version('order of steps', 1);
    if (version >= 1) await ctx.step('check', () => 0);
    await ctx.step('reserve', () => 1);
    await ctx.step('charge', () => 2);
    await ctx.sleep('1h');
    return version;
  };
  const old = await suspended(original);
  t.like(await old.runOne(changed), { kind: 'completed', output: 0 });
  const young = await suspended(changed);
  t.like(await young.runOne(changed), { kind: 'completed', output: 1 });
  const later = await suspended(changed);
  const again = async (ctx: FunctionContext) => {
    const version = ctx.version('order of steps', 2);
    await ctx.step('check', () => 0);
    await ctx.step('reserve', () => 1);
    await ctx.step('charge', () => 2);
    await ctx.sleep('1h');
    return version;
  };
  t.like(await later.runOne(again), { kind: 'completed', output: 1 });
});

test('a version that no execution needs may leave the code', async (t) => {
  const runtime = await suspended(async (ctx) => {
    ctx.version('order of steps', 1);
    return original(ctx);
  });
  t.like(await runtime.runOne(original), { kind: 'completed', output: 'sent' });
});
