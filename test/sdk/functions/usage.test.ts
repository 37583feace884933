import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import {
  BudgetExceededError,
  defineFunction,
  type FunctionContext,
  StepError,
} from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/* Model usage that steps report, and budgets that it exhausts. */

const check = onBothStores();

/** A call of a model with 30 tokens. */
const ask = (ctx: FunctionContext, name: string) =>
  ctx.step(name, ({ reportUsage }) => {
    reportUsage({ model: 'm-1', inputTokens: 20, outputTokens: 10, costUsd: 0.5 });
    return name;
  });

/** The recorded usages, by identity. */
async function usages(svc: TestTenant, id: string): Promise<Readonly<Record<string, JsonValue>>> {
  const entries = (await svc.events(id)).flatMap(({ kind, payload }) =>
    kind === 'StepRecorded' ? (payload['entries'] as readonly JsonValue[]) : [],
  );
  return Object.fromEntries(
    entries
      .filter(isJsonObject)
      .filter(({ usage }) => usage !== undefined)
      .map(({ identity, usage = null }) => [identity as string, usage]),
  );
}

check('the reports of a step add up, those of failed attempts too', async (t, tenant, place) => {
  const pay = defineFunction('pay', async (ctx) => {
    await ctx.step(
      'twice',
      ({ attempt, reportUsage }) => {
        reportUsage({ model: 'gpt-4o', inputTokens: 100_000, outputTokens: 0 });
        if (attempt === 1) throw new Error('overloaded');
        reportUsage({ model: 'gpt-4o', inputTokens: 0, outputTokens: 10_000 });
        return null;
      },
      { retry: { initialInterval: 1 } },
    );
    await ctx.step('mixed', ({ reportUsage }) => {
      reportUsage({ model: 'a', inputTokens: 1, outputTokens: 1, costUsd: 0.25 });
      reportUsage({ model: 'b', inputTokens: 1, outputTokens: 1, costUsd: 0.5 });
    });
    await ctx.step('none', () => null);
    const failing = ctx.step(
      'failing',
      ({ reportUsage }) => {
        reportUsage({ inputTokens: 3, outputTokens: 0 });
        throw new Error('no');
      },
      { retry: { maxAttempts: 1 } },
    );
    await failing.catch((error: unknown) => {
      if (!(error instanceof StepError)) throw error;
    });
    return {};
  });
  startWorker(t, { tenant, place, options: { functions: [pay] } });
  const id = await startFunction(tenant, pay, {});
  const { usage } = await tenant.until(id, 'completed');
  t.deepEqual(await usages(tenant, id), {
    twice: { model: 'gpt-4o', input_tokens: 200_000, output_tokens: 10_000, cost_usd: 0.6 },
    mixed: { input_tokens: 2, output_tokens: 2, cost_usd: 0.75 },
    failing: { input_tokens: 3, output_tokens: 0, cost_usd: null },
  });
  t.deepEqual(usage, { input_tokens: 200_005, output_tokens: 10_002, cost_usd: 1.35 });
});

check('a rollback reports its usage, also when it fails', async (t, tenant, place) => {
  let runs = 0;
  const undone = defineFunction(
    'undone',
    async (ctx) => {
      ctx.onRollback('explain', ({ reportUsage }) => {
        runs += 1;
        reportUsage({ inputTokens: 1, outputTokens: 0 });
        if (runs <= 3) throw new Error('not yet');
      });
      await ctx.step('fail', () => Promise.reject(new Error('no')), { retry: { maxAttempts: 1 } });
    },
    { retryPolicy: { max_attempts: 2, initial_delay_ms: 1, jitter: false } },
  );
  startWorker(t, { tenant, place, options: { functions: [undone] } });
  const id = await startFunction(tenant, undone, {});
  const { usage } = await tenant.until(id, 'failed');
  t.is(runs, 4);
  t.deepEqual(usage, { input_tokens: 4, output_tokens: 0, cost_usd: 0 });
  t.like(await usages(tenant, id), { 'rollback/on-rollback explain': { input_tokens: 1 } });
});

check('a loop stops before the step that its budget refuses', async (t, tenant, place) => {
  const told: unknown[] = [];
  const undone: string[] = [];
  const loop = defineFunction(
    'loop',
    async (ctx) => {
      ctx.onRollback('undo', () => void undone.push('undone'));
      try {
        for (;;) await ask(ctx, 'model');
      } catch (error) {
        told.push(error);
        throw error;
      }
    },
    { workflow: { tokenBudget: 100 } },
  );
  startWorker(t, { tenant, place, options: { functions: [loop] } });
  const id = await startFunction(tenant, loop, {});
  const { error, usage } = await tenant.until(id, 'failed');
  t.is(error, 'node run failed: the budget is used up (120 of 100 tokens)');
  t.like((await tenant.events(id)).at(-1), { payload: { error_class: 'budget_exceeded' } });
  t.deepEqual(usage, { input_tokens: 80, output_tokens: 40, cost_usd: 2 });
  const [first] = told;
  t.true(first instanceof BudgetExceededError);
  t.like(first, { account: id, tokens: 120, tokenBudget: 100, costUsd: 2, costBudgetUsd: null });
  t.deepEqual(undone, ['undone']);
});

check('a function that catches the error can return its result', async (t, tenant, place) => {
  const partial = defineFunction(
    'partial',
    async (ctx) => {
      const answers: string[] = [];
      try {
        for (;;) answers.push(await ask(ctx, 'model'));
      } catch (error) {
        if (!(error instanceof BudgetExceededError)) throw error;
      }
      return { answers };
    },
    { workflow: { costBudgetUsd: 1 } },
  );
  startWorker(t, { tenant, place, options: { functions: [partial] } });
  const id = await startFunction(tenant, partial, {});
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state, { output: { answers: ['model', 'model'] } });
});

check('a budget that asks ends the turn until a person grants it', async (t, tenant, place) => {
  const turns: number[] = [];
  const patient = defineFunction(
    'patient',
    async (ctx) => {
      turns.push(ctx.turn);
      const idle = ctx.waitForEvent('go');
      for (const name of ['one', 'two', 'three', 'four']) await ask(ctx, name);
      return { got: await idle };
    },
    { workflow: { tokenBudget: { totalTokens: 61 }, onBudgetExceeded: 'pause' } },
  );
  startWorker(t, { tenant, place, options: { functions: [patient] } });
  const id = await startFunction(tenant, patient, {});
  await tenant.untilEvent(id, 'ApprovalRequested');
  t.deepEqual(Object.keys(await usages(tenant, id)), ['one', 'two', 'three']);
  await tenant.approve(id, { decision: 'approved' });
  await tenant.deliver(id, 'go', { now: true });
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state, { output: { got: { now: true } } });
  t.deepEqual(Object.keys(await usages(tenant, id)), ['one', 'two', 'three', 'four']);
  t.true(turns.length >= 2, turns.join());
});
