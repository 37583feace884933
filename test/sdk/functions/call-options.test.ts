import test from 'ava';
import type { FunctionContext } from 'svc-sdk/worker';

import { MemoryRuntime } from './support/memory-runtime.ts';

/* A typo in an option of a call would be without effect, because Node checks no types. */

const typos: readonly (readonly [(ctx: FunctionContext) => unknown, string])[] = [
  [
    (ctx) => ctx.step('charge', () => 1, { retires: 3 } as object),
    'ctx.step("charge") has no option "retires": did you mean "retry"?',
  ],
  [
    (ctx) => ctx.step('charge', () => 1, { retry: { attempts: 3 } as object }),
    'the retry of ctx.step("charge") has no option "attempts": did you mean "maxAttempts"?',
  ],
  [
    (ctx) => ctx.waitForEvent('paid', { timeuot: '1h' } as object),
    'ctx.waitForEvent("paid") has no option "timeuot": did you mean "timeout"?',
  ],
  [
    (ctx) => ctx.approval('sign', { descripton: 'Pay?' } as object),
    'ctx.approval("sign") has no option "descripton": did you mean "description"?',
  ],
  [
    (ctx) => ctx.call('refund', {}, { versoin: '2.0.0' } as object),
    'ctx.call("refund") has no option "versoin": did you mean "version"?',
  ],
  [
    (ctx) => ctx.map([1], async () => 1, { concurency: 2 } as object),
    'ctx.map() has no option "concurency": did you mean "concurrency"?',
  ],
];

for (const [call, message] of typos) {
  test(`the function fails permanently, and nothing is recorded: ${message}`, async (t) => {
    const runtime = new MemoryRuntime();
    const outcome = await runtime.runOne(async (ctx) => {
      // Nobody awaits it.
      void call(ctx);
      await ctx.sleep('1h');
    });
    t.like(outcome, { kind: 'failed', errorClass: 'NonRetryableError', isFinal: true, message });
    t.deepEqual([runtime.entries, runtime.waits.size], [[], 0]);
  });
}

test('a replay meets the typo at the same place, and keeps what was recorded before it', async (t) => {
  const runtime = new MemoryRuntime();
  let charges = 0;
  const outcome = await runtime.runToEnd(async (ctx) => {
    await ctx.step('charge', () => (charges += 1));
    await ctx.sleep('1h');
    try {
      void ctx.waitForEvent('paid', { kye: 'order-1' } as object);
    } catch (error) {
      return ctx.step('note', () => (error as Error).message);
    }
    return null;
  });
  t.like(outcome, {
    kind: 'completed',
    output: 'ctx.waitForEvent("paid") has no option "kye": did you mean "key"?',
  });
  t.is(charges, 1);
  t.deepEqual(
    runtime.entries.map(({ identity }) => identity),
    ['charge', 'sleep', 'note'],
  );
});
