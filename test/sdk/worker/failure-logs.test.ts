import { createJsonLogger, defineFunction, defineTool } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker, until } from '../support/with-worker.ts';

const check = onBothStores();

function declineCard(): never {
  const closed = new Error('the socket closed', { cause: { code: 'ECONNRESET' } });
  throw new TypeError('declined', { cause: new RangeError('no answer', { cause: closed }) });
}

/** An error that is a cause of its own cause. */
function loop(): never {
  const outer = new Error('outer');
  outer.cause = new Error('inner', { cause: outer });
  throw outer;
}

/** Lines that a worker logs about failures, as they arrive. */
function collectLines() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const logger = createJsonLogger({
    level: 'warn',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const find = (message: string) => lines.find((line) => line['message'] === message);
  return { logger, lines, find };
}

check(
  'the log says where a step, a function and a tool threw, and why',
  async (t, tenant, place) => {
    const { logger, find } = collectLines();
    const once = { maxAttempts: 1 };
    const order = defineFunction('order', async (ctx) => {
      await ctx.step('charge', declineCard, { retry: once }).catch(() => undefined);
      return declineCard();
    });
    const charge = defineTool('bank.charge', declineCard);
    startWorker(t, { tenant, place, options: { functions: [order], tools: [charge], logger } });
    await startFunction(tenant, order, {});
    await tenant.run({
      workflow_id: 'charging',
      nodes: { charge: { kind: { type: 'python_fn', module: 'bank', function: 'charge' } } },
    });
    for (const message of ['the step failed', 'the function failed', 'the tool failed']) {
      await until(message, () => find(message) !== undefined);
      const stack = String(find(message)?.['stack']);
      t.regex(stack, /^TypeError: declined\n +at (?:\S+\.)?declineCard .*failure-logs/);
      t.regex(
        stack,
        /\nCaused by: RangeError: no answer\n +at [^]*\nCaused by: Error: the socket closed\n +at [^]*\nCaused by: \{"code":"ECONNRESET"\}$/,
      );
    }
  },
);

check('the log says why the runtime refuses a result', async (t, tenant, place) => {
  const { logger, lines, find } = collectLines();
  const charge = defineTool('bank.charge', () => ({ total: 'three' }));
  const count = defineFunction('count', async (ctx) => {
    await ctx.step('count', () => ({ n: 2 ** 60 }));
  });
  startWorker(t, { tenant, place, options: { tools: [charge], functions: [count], logger } });
  await tenant.run({
    workflow_id: 'charging',
    nodes: {
      charge: {
        kind: { type: 'python_fn', module: 'bank', function: 'charge' },
        output_schema: { properties: { total: { type: 'number' } } },
        retry_policy: 'no_retry',
      },
    },
  });
  const refusal = () => find('the runtime refuses the result');
  await until('a refusal', () => refusal() !== undefined);
  t.like(refusal(), { name: 'bank.charge', error_class: 'invalid_output' });
  t.regex(String(refusal()?.['error']), /output_schema: \/total: must be number/);

  lines.length = 0;
  await tenant.until(await startFunction(tenant, count, {}), 'failed');
  t.like(refusal(), { name: 'count', error_class: 'JournalRefusedError' });
  t.regex(String(refusal()?.['error']), /does not take step "count": /);
});

check('an error that causes itself is logged once', async (t, tenant, place) => {
  const { logger, find } = collectLines();
  const charge = defineTool('bank.charge', loop);
  startWorker(t, { tenant, place, options: { tools: [charge], logger } });
  await tenant.run({
    workflow_id: 'charging',
    nodes: { charge: { kind: { type: 'python_fn', module: 'bank', function: 'charge' } } },
  });
  await until('a failure', () => find('the tool failed') !== undefined);
  const stack = String(find('the tool failed')?.['stack']);
  t.is(stack.match(/Caused by: /g)?.length, 1);
  t.regex(stack, /^Error: outer\n[^]*Caused by: Error: inner\n/);
});
