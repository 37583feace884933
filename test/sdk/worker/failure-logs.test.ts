import { createJsonLogger, defineFunction, defineTool } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker, until } from '../support/with-worker.ts';

const check = onBothStores();

function declineCard(): never {
  throw new TypeError('declined');
}

/** Lines that a worker logs about failures, as they arrive. */
function collectLines() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const logger = createJsonLogger({
    level: 'warn',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const find = (message: string) => lines.find((line) => line['message'] === message);
  return { logger, find };
}

check('the log says where a step, a function and a tool threw', async (t, tenant, place) => {
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
    t.regex(
      String(find(message)?.['stack']),
      /^TypeError: declined\n +at (?:\S+\.)?declineCard .*failure-logs/,
    );
  }
});
