import { fileURLToPath } from 'node:url';

import test from 'ava';

import { bookTrip } from '../../../examples/typescript/book-trip/book-trip.ts';
import { defineAgent } from '../../../examples/typescript/recipes/agent-loop.ts';
import { defineChangedOrder } from '../../../examples/typescript/recipes/changed-order.ts';
import { defineThumbnails } from '../../../examples/typescript/recipes/fan-out.ts';
import { defineNightlyReport } from '../../../examples/typescript/recipes/nightly-report.ts';
import {
  defineCheckout,
  onPaymentWebhook,
} from '../../../examples/typescript/recipes/payment-webhook.ts';
import { definePublish } from '../../../examples/typescript/recipes/publish.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { startProgram } from '../../support/processes.ts';
import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';
import { TestTenant } from '../../support/tenant.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

const check = onBothStores();

/** The requests to the booking systems, of both stores. A trip may ask them to have no car. */
const asked: string[] = [];
let bookings: LocalServer;

test.before('start the booking systems', async () => {
  bookings = await startHttpServer((request, response) => {
    const what = `${request.method} ${request.url}`;
    asked.push(what);
    const isSoldOut = what.startsWith('PUT /cars/sold-out');
    response.writeHead(isSoldOut ? 409 : 200).end(JSON.stringify({ reference: what }));
  });
  process.env['BOOKINGS_URL'] = bookings.url;
});
test.after.always('stop the booking systems', () => bookings.close());

check('a trip is booked, and undone when there is no car', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [bookTrip] } });
  const trip = { from: 'Berlin', to: 'Lisbon', date: '2026-12-24' };
  const good = await startFunction(tenant, bookTrip, { ...trip, id: `good-${place.dialect}` });
  const { state } = await tenant.until(good, 'completed');
  t.like(state['output'], { car: { reference: `PUT /cars/good-${place.dialect}` } });
  const id = `sold-out-${place.dialect}`;
  const bad = await tenant.start('book-trip', { ...trip, id });
  await tenant.until(bad, 'failed');
  t.deepEqual(
    asked.filter((what) => what.endsWith(id)),
    [
      'PUT /flights',
      'PUT /hotels',
      'PUT /cars',
      'DELETE /cars',
      'DELETE /hotels',
      'DELETE /flights',
    ].map((what) => `${what}/${id}`),
  );
});

check('the recipes run', async (t, tenant, place) => {
  const sent: unknown[] = [];
  const agent = defineAgent({
    ask: async (messages) =>
      messages.length === 1
        ? { text: 'I look it up', tool: { name: 'search', input: { for: 'x' } } }
        : { text: `found ${messages.at(-1)}`, tool: null },
    call: async () => ({ hits: 3 }),
  });
  const report = defineNightlyReport({
    readSales: async () => ({ total: 5 }),
    send: async (one) => void sent.push(one),
  });
  const thumbnails = defineThumbnails(async (image) => `${image}.small`);
  const changed = defineChangedOrder({ check: async () => {}, charge: async () => {} });
  const publish = definePublish(async (text) => void sent.push(text));
  const checkout = defineCheckout(async () => ({}));
  const functions = [agent, report, thumbnails, changed, publish, checkout];
  startWorker(t, { tenant, place, options: { functions } });
  const outputOf = async (id: string) => (await tenant.until(id, 'completed')).state['output'];

  const asked = await startFunction(tenant, agent, { task: 'look' });
  t.deepEqual(await outputOf(asked), { answer: 'found {"hits":3}' });
  t.deepEqual(await outputOf(await startFunction(tenant, report, { region: 'eu' })), {});
  t.like(sent.splice(0)[0], { region: 'eu', sales: { total: 5 } });
  const resized = await startFunction(tenant, thumbnails, { images: ['a', 'b'] });
  t.deepEqual(await outputOf(resized), { thumbnails: ['a.small', 'b.small'] });
  t.deepEqual(await outputOf(await startFunction(tenant, changed, {})), { version: 1 });

  const text = await startFunction(tenant, publish, { text: 'hello' });
  await tenant.untilEvent(text, 'NodeSuspended');
  await tenant.approve(text, { node_id: 'run', step: 'editor', decision: 'approved' });
  t.deepEqual(await outputOf(text), { published: true });
  t.deepEqual(sent, ['hello']);

  const paid = await startFunction(tenant, checkout, { amount: 3 });
  const svc = {
    url: place.runtime.url,
    headers: {
      authorization: `Bearer ${place.runtime.apiKey}`,
      'x-tenant-id': tenant.tenantId,
    },
  };
  const payment = { payment_id: 'p-1', amount: 3 };
  await onPaymentWebhook(svc, { executionId: paid, payment });
  t.deepEqual(await outputOf(paid), payment);
});

check(
  'the worker of the guide to workers squares, and stops on SIGTERM',
  async (t, _tenant, { runtime }) => {
    const path = fileURLToPath(
      new URL('../../../examples/typescript/tools/square-worker.ts', import.meta.url),
    );
    const program = await startProgram({
      entry: { path },
      args: [],
      env: {
        SVC_URL: runtime.url,
        SVC_TOKEN: runtime.apiKey,
        NODE_OPTIONS: '--conditions=svc-source',
      },
    });
    t.teardown(() => program.end('SIGKILL'));
    const tenant = new TestTenant({
      request: (request) => runtime.request(request),
      tenantId: 'default',
    });
    const node = { kind: 'python_fn', module: 'numbers', function: 'square', output_key: 'result' };
    const id = await tenant.run({ nodes: { square: node } }, { number: 12 });
    const { state } = await tenant.until(id, 'completed');
    t.deepEqual(state['result'], { square: 144 });
    t.is(await program.end('SIGTERM'), 0);
    t.regex(program.stderr(), /"message":"squaring".*"execution_id":"exec_/);
  },
);
