import Database from 'better-sqlite3';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { TestTenant } from '../../support/tenant.ts';

/** The executions that pages of one execution show. */
export interface SampleData {
  readonly completed: string;
  readonly waiting: string;
  readonly failed: string;
}

const ORDER: JsonObject = {
  workflow_id: 'order',
  nodes: {
    reserve: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } },
    charge: {
      kind: { type: 'python_fn', module: 'shop', function: 'charge' },
      retry_policy: 'no_retry',
    },
    review: { kind: { type: 'human_approval', description: 'Ship this order?' } },
    ship: { kind: { type: 'pass', output: { shipped: true } }, output_key: 'shipment' },
  },
  edges: [
    { from: 'reserve', to: 'charge' },
    { from: 'charge', to: 'review', condition: 'state.total > 200' },
    { from: 'charge', to: 'ship', condition: 'state.total <= 200' },
    { from: 'review', to: 'ship' },
  ],
};

const GREETING: JsonObject = {
  workflow_id: 'greeting',
  nodes: { greet: { kind: { type: 'pass', output: { text: 'Hello' } }, output_key: 'greeting' } },
};

const COMPLETED = 12;

/** Workflows, executions in each state, a schedule, a webhook and tokens, as a small shop has them. */
export async function makeSampleData(tenant: TestTenant): Promise<SampleData> {
  await tenant.register(ORDER);
  await tenant.register(GREETING);
  for (let number = 1; number <= COMPLETED; number += 1) {
    await tenant.start('greeting', { name: `customer ${number}` });
  }
  const completed = await startOrder(tenant, 'A-1001');
  await tenant.untilEvent(completed, 'ApprovalRequested');
  await tenant.approve(completed, {
    decision: 'approved',
    user_id: 'reviewer',
    comment: 'Checked the address',
  });
  await tenant.until(completed, 'completed');
  const waiting = await startOrder(tenant, 'A-1002');
  const failed = await tenant.start('order', { order_id: 'A-1003', total: 80 });
  await tenant.work('reserve', { reserved: true });
  await tenant.breakDown('charge', { error: 'card declined: limit reached', retryable: false });
  await tenant.until(failed, 'failed');
  await tenant.start('order', { order_id: 'A-1004', total: 120 });
  await tenant.post('/schedules', {
    name: 'nightly',
    workflow_id: 'greeting',
    cron_expression: '0 3 * * *',
    timezone: 'Europe/Vienna',
  });
  await tenant.post('/webhooks', { url: 'https://hooks.example/svc' });
  for (const role of ['viewer', 'reviewer', 'developer', 'worker']) {
    await tenant.post('/tokens', { name: `${role} of the shop`, role });
  }
  return { completed, waiting, failed };
}

/** Up to the approval. */
async function startOrder(tenant: TestTenant, orderId: string): Promise<string> {
  const executionId = await tenant.start('order', { order_id: orderId, total: 250 });
  await tenant.work('reserve', { reserved: true });
  await tenant.work('charge', { receipt: `r-${orderId}` });
  return executionId;
}

/**
 * Moves the starts of the greetings over the last days, as if the shop had been open for a while. They
 * have no page of their own in the pictures, so their events stay.
 */
export function spreadStarts(file: string): void {
  const database = new Database(file, { timeout: 5_000 });
  try {
    database.prepare(SPREAD).run({ step: SPREAD_MS / COMPLETED });
  } finally {
    database.close();
  }
}

const SPREAD_MS = 8 * 3_600_000;
const SPREAD = `
  update executions
  set created_at = created_at - cast(:step * p.place as integer),
    updated_at = updated_at - cast(:step * p.place as integer),
    completed_at = completed_at - cast(:step * p.place as integer)
  from (
    select id, power(row_number() over (order by created_at desc, id), 2) / 6 as place
    from executions
    where workflow_id = 'greeting'
  ) p
  where p.id = executions.id`;
