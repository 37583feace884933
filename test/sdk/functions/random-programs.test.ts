import test from 'ava';
import fc from 'fast-check';

import type { FunctionContext } from 'svc-sdk/worker';

import { Crash, MemoryRuntime } from './support/memory-runtime.ts';

/*
 * Random programs of steps, waits and branches, killed at random points. Despite the kills, the
 * function has the same result, and a receiver with idempotency keys sees each step once.
 */

type Program =
  | { readonly kind: 'step'; readonly name: string; readonly isLate: boolean }
  | { readonly kind: 'failing'; readonly name: string }
  | { readonly kind: 'sleep' }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'value' }
  | { readonly kind: 'labels' }
  | { readonly kind: 'all'; readonly parts: readonly Program[] }
  | { readonly kind: 'race'; readonly parts: readonly Program[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Program[] };

const name = fc.constantFrom('a', 'b', 'c');
const { program } = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('step' as const), name, isLate: fc.boolean() }),
    fc.record({ kind: fc.constant('failing' as const), name }),
    fc.record({ kind: fc.constant('sleep' as const) }),
    fc.record({ kind: fc.constant('event' as const), name }),
    fc.record({ kind: fc.constantFrom('value' as const, 'labels' as const) }),
    fc.record({
      kind: fc.constantFrom('all' as const, 'race' as const, 'sequence' as const),
      parts: fc.array(tie('program'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** Each effect by its key, as an idempotent receiver stores it. */
type Receiver = Map<string, string>;

function build(root: Program, receiver: Receiver, meet: () => void) {
  // All branches share it, so it shows the order in which they ran.
  return async (ctx: FunctionContext) => {
    const trace: unknown[] = [];
    const run = async (part: Program): Promise<unknown> => {
      switch (part.kind) {
        case 'step':
          return ctx.step(
            part.name,
            async ({ idempotencyKey }) => {
              meet();
              if (part.isLate) await new Promise((resolve) => setImmediate(resolve));
              const known = receiver.get(idempotencyKey);
              receiver.set(idempotencyKey, known ?? `${part.name} ${idempotencyKey}`);
              meet();
              return receiver.get(idempotencyKey);
            },
            { durability: part.isLate ? 'each' : 'end' },
          );
        case 'failing':
          return ctx
            .step(part.name, () => Promise.reject(new Error('no')), {
              retry: { maxAttempts: 2, initialInterval: '1m' },
            })
            .catch((error: unknown) => String(error));
        case 'sleep':
          return ctx.sleep('1h');
        case 'event':
          return ctx.waitForEvent(part.name);
        case 'value':
          return [ctx.now(), ctx.uuid()];
        case 'labels':
          return ctx.setLabels({ count: `${trace.length}` });
        case 'all':
          return ctx.all(part.parts.map((one) => async () => run(one)));
        case 'race':
          return ctx.race(part.parts.map((one) => async () => run(one)));
        case 'sequence': {
          for (const one of part.parts) trace.push(await run(one));
          return trace.length;
        }
      }
    };
    return [await run(root), trace];
  };
}

test('killed anywhere, a function comes to one result, and each effect happens once', async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(
      program,
      fc.array(fc.nat({ max: 30 }), { maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      async (root, kills, answers) => {
        let untilKill = kills[0] ?? Number.POSITIVE_INFINITY;
        let killed = 0;
        const isKill = () => {
          untilKill -= 1;
          if (untilKill >= 0) return false;
          killed += 1;
          untilKill = kills[killed] ?? Number.POSITIVE_INFINITY;
          return true;
        };
        const meet = () => {
          if (isKill()) throw new Crash();
        };
        let asked = 0;
        const runtime = new MemoryRuntime({
          meet,
          answersAtOnce: () => answers[(asked += 1) % answers.length] === true,
        });
        const receiver: Receiver = new Map();
        const code = build(root, receiver, () => {
          if (isKill()) runtime.kill();
        });
        const outcome = await runtime.runToEnd(code);
        if (outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome));
        // Steps that lost a race may still be running.
        for (let count = 0; count < 5; count += 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        // A replay of the final journal gives the same result, and runs nothing.
        const before = new Map(receiver);
        const recorded = runtime.entries.length;
        const again = await runtime.runToEnd(code);
        t.deepEqual(again, { ...outcome, entries: [] });
        t.is(runtime.entries.length, recorded);
        t.deepEqual(receiver, before);
        const identities = runtime.entries.map(({ identity }) => identity);
        t.is(new Set(identities).size, identities.length);
      },
    ),
    { numRuns: 400 },
  );
});
