import test from 'ava';

import { MemoryRuntime } from './support/memory-runtime.ts';

const BIG = 'is a BigInt; use text or a number';
const FAILED = { kind: 'failed', errorClass: 'SerializationError', isFinal: true } as const;

test('a step whose result is no JSON fails without another attempt', async (t) => {
  for (const result of [{ total: 1n }, () => 1, { total: Number.NaN }, new Map()]) {
    let runs = 0;
    const outcome = await new MemoryRuntime().runOne(async (ctx) =>
      ctx.step('charge', () => {
        runs += 1;
        return result;
      }),
    );
    t.like(outcome, FAILED);
    t.is(runs, 1);
  }
});

test('the error of a step names the step and the place, and a function may catch it', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) =>
    ctx.step('charge', () => ({ items: [{ total: 1n }] })).catch((error: unknown) => String(error)),
  );
  const output = `StepError: The output of step "charge" is not JSON: output.items[0].total ${BIG}`;
  t.like(outcome, { kind: 'completed', output });
});

test('a function whose output is no JSON fails at once', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async () => ({ total: 1n }));
  const message = `The output of the function is not JSON: output.value.total ${BIG}`;
  t.like(outcome, { ...FAILED, message });
});

test('the output of a function is what its JSON says', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async () => ({ at: new Date(0) }));
  t.like(outcome, { kind: 'completed', output: { at: '1970-01-01T00:00:00.000Z' } });
});

test('input of the next visit that is no JSON fails the function at once', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) => ctx.continueAsNew({ at: [1n] }));
  const message = `The input of ctx.continueAsNew() is not JSON: input.at[0] ${BIG}`;
  t.like(outcome, { ...FAILED, message });
});

test('input of a call that is no JSON fails the function at once', async (t) => {
  const outcome = await new MemoryRuntime().runOne(async (ctx) => ctx.call('child', { total: 1n }));
  const message = `The input of ctx.call("child") is not JSON: input.total ${BIG}`;
  t.like(outcome, { ...FAILED, message });
});

test('context of an approval that is no JSON fails the function at once', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runOne(async (ctx) =>
    ctx.approval('ship', { context: { total: 1n } }),
  );
  const message = `The context of ctx.approval("ship") is not JSON: context.total ${BIG}`;
  t.like(outcome, { ...FAILED, message });
  t.is(runtime.waits.size, 0);
});

test('input of a call counts as it is at the call', async (t) => {
  const runtime = new MemoryRuntime();
  const input = { total: 1 };
  await runtime.runOne(async (ctx) => {
    const called = ctx.call('child', input);
    input.total = 2;
    return called;
  });
  t.like(runtime.waits.get('child'), { input: { total: 1 } });
});
