import test from 'ava';
import { createTestRuntime } from 'svc-sdk/testing';

import {
  everyNight,
  nightlyInvoices,
} from '../../../examples/typescript/nightly-invoices/nightly-invoices.ts';
import { startPartner } from './support/partner.ts';

const INVOICES = Array.from({ length: 500 }, (_, index) => `inv-${index + 1}`);
/** Half past one in Berlin. */
const START = new Date('2030-01-10T00:30:00Z');

test('at two in the night every invoice is sent once, with retries, and the webhook learns of it', async (t) => {
  const failed = new Set<string>();
  const billing = await startPartner(t, ({ what }) => {
    if (what.startsWith('GET')) return { status: 200, body: INVOICES };
    const isFlaky = /5[05]\/sent$/.test(what) && !failed.has(what);
    if (isFlaky) failed.add(what);
    return { status: isFlaky ? 503 : 204 };
  });
  const report = await startPartner(t, () => ({ status: 204 }));
  process.env['BILLING_URL'] = billing.url;
  process.env['REPORT_URL'] = report.url;
  await using runtime = await createTestRuntime({ functions: [nightlyInvoices], startAt: START });
  const { schedules, executions, execution } = runtime.client;
  const schedule = { name: 'nightly', workflow_id: nightlyInvoices.name, ...everyNight };
  const { next_fires: fires } = await schedules.create(schedule);
  t.is(fires[0], '2030-01-10T01:00:00.000Z');

  await runtime.advance('29m');
  t.deepEqual(billing.asked, []);
  // Advances by only a minute: a larger jump would end the lease of a busy worker.
  await runtime.advance('1m');
  const started: string[] = [];
  for await (const { execution_id: id } of executions.list()) started.push(id);
  t.is(started.length, 1);
  await execution(started[0] ?? '').result({ timeout: '60s' });
  t.deepEqual(report.asked, [{ what: 'POST /', body: { sent: 500 } }]);
  const sent = billing.asked.map(({ what }) => what).filter((what) => what.startsWith('PUT'));
  t.deepEqual(new Set(sent), new Set(INVOICES.map((id) => `PUT /invoices/${id}/sent`)));
  t.is(failed.size, 10);
  t.is(sent.length, 510);
});
