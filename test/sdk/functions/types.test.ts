import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import test from 'ava';
import { defineFunction, type DurableFunction, type FunctionContext } from 'svc-sdk/worker';

/* The compiler checks this file: each line that it must refuse has a directive. */

const square = defineFunction<{ number: number }, { square: number }>('square', (_ctx, input) => ({
  square: input.number ** 2,
}));

export async function callsAreTyped(ctx: FunctionContext): Promise<number> {
  const { square: result } = await ctx.call(square, { number: 3 });
  // @ts-expect-error -- the input has another name
  await ctx.call(square, { count: 3 });
  // @ts-expect-error -- the output has no such member
  await ctx.call(square, { number: 3 }).then(({ cube }) => cube);
  return result;
}

export async function stepsAreTyped(ctx: FunctionContext): Promise<readonly [number, string]> {
  const one = await ctx.step('one', () => 1);
  // @ts-expect-error -- a step gives what its code returns
  const text: string = one;
  const both = await ctx.all([async () => ctx.step('a', () => 1), ctx.step('b', () => 'b')]);
  // @ts-expect-error -- all gives results in the order of its branches
  const swapped: readonly [string, number] = both;
  // @ts-expect-error -- there are two ways to record a step
  await ctx.step('two', () => 2, { durability: 'never' });
  return swapped.length > text.length ? both : [one, text];
}

export function definitionsAreTyped(): readonly DurableFunction<never, unknown>['name'][] {
  // @ts-expect-error -- the output of a function is an object
  const number = defineFunction<object, number>('number', () => 3);
  // @ts-expect-error -- the output is another object
  const other = defineFunction<object, { a: number }>('other', () => ({ b: 1 }));
  return [number.name, other.name];
}

export const counter = defineFunction('counter', async (ctx, input: { count: number }) => {
  // @ts-expect-error -- the next visit needs the input of the function
  if (input.count === 1) return ctx.continueAsNew({ number: 2 });
  // @ts-expect-error -- nothing comes back from it
  if (input.count === 2) return ctx.continueAsNew(input).count;
  if (input.count < 9) return ctx.continueAsNew({ count: input.count + 1 });
  return { done: true };
});

export async function outputsLeaveContinuationsOut(ctx: FunctionContext): Promise<boolean> {
  const { done } = await ctx.call(counter, { count: 0 });
  return done;
}

export const helpersTakeAnyContext = defineFunction<{ number: number }>('any', async (ctx) => ({
  calls: await callsAreTyped(ctx),
}));

test('the compiler refuses each of the wrong uses', (t) => {
  const text = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  t.is(text.match(/^ *\/\/ @ts-expect-error -- /gm)?.length, 9);
});
