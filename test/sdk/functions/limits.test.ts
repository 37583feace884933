import test from 'ava';

import { MemoryRuntime } from './support/memory-runtime.ts';

test('100 waits at once are the most', async (t) => {
  const waitFor = (count: number) =>
    new MemoryRuntime().runOne(async (ctx) =>
      ctx.map(
        Array.from({ length: count }, (_, at) => at),
        async () => ctx.waitForEvent('paid'),
        { concurrency: count },
      ),
    );
  t.like(await waitFor(100), { kind: 'suspended' });
  t.like(await waitFor(101), { kind: 'failed', errorClass: 'FunctionLimitError', isFinal: true });
});

test('10 000 entries are the most', async (t) => {
  const take = (count: number) =>
    new MemoryRuntime().runOne(async (ctx) => {
      for (let at = 0; at < count; at += 1) ctx.uuid();
    });
  t.like(await take(10_000), { kind: 'completed' });
  t.like(await take(10_001), {
    kind: 'failed',
    errorClass: 'FunctionLimitError',
    isFinal: true,
    message:
      'a visit of a function has at most 10000 entries; ' +
      'call ctx.continueAsNew() before it has so many',
  });
});

test('a name that could be an identity is refused', async (t) => {
  for (const name of ['', 'charge#2', 'map[0]', 'a/b', 'x'.repeat(201)]) {
    const outcome = await new MemoryRuntime().runOne(async (ctx) => ctx.step(name, () => 1));
    t.like(outcome, { kind: 'failed', errorClass: 'TypeError' });
  }
});
