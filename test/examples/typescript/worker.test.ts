import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createClient } from 'svc-sdk/client';

import { eventually } from '../../support/eventually.ts';
import { startProgram, waitUntilReady } from '../../support/processes.ts';
import { freePort } from '../../support/servers/ports.ts';
import { startPartner } from './support/partner.ts';

const WORKER = join(import.meta.dirname, '../../../examples/typescript/worker.ts');
const TRIP = { id: 'trip-1', from: 'Berlin', to: 'Lisbon', date: '2026-12-24' };

test('a worker that is killed in a trip loses no booking and repeats none that is recorded', async (t) => {
  let hotels = 0;
  const bookings = await startPartner(t, ({ what }) => {
    if (what.startsWith('PUT /hotels') && (hotels += 1) === 1) return null;
    return { status: 200, body: { reference: what } };
  });
  const url = await startRuntime(t);
  const client = createClient({ url });
  const env = { SVC_URL: url, BOOKINGS_URL: bookings.url };
  const first = await startWorker(t, env);
  const { next_fires: fires } = await eventually(() => client.schedules.get('nightly'));
  t.true(fires.length > 0);
  await eventually(() => client.workflows.get('book-trip'));

  const trip = await client.start('book-trip', TRIP);
  await eventually(() => {
    if (hotels === 0) throw new Error('no hotel is asked');
  });
  await first.end('SIGKILL');
  await startWorker(t, env);
  t.like(await trip.result({ timeout: '40s' }), {
    car: { reference: 'PUT /cars/trip-1' },
  });
  t.deepEqual(
    bookings.asked.map(({ what }) => what),
    ['PUT /flights/trip-1', 'PUT /hotels/trip-1', 'PUT /hotels/trip-1', 'PUT /cars/trip-1'],
  );
});

/** Starts `svc dev` with a database in the folder of the process, and returns its address. */
async function startRuntime(t: ExecutionContext): Promise<string> {
  const port = await freePort();
  const runtime = await startProgram({
    entry: 'svc',
    args: ['dev', '--port', String(port), '--database-url', 'dev.db'],
    env: { SVC_SCHEDULER_LEASE_SECONDS: '3', SVC_TELEMETRY_METRICS_PORT: 'off' },
  });
  t.teardown(() => runtime.end('SIGTERM'));
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(runtime, async () => {
    const { status } = await fetch(`${url}/ready`);
    if (status !== 200) throw new Error(`GET /ready answered ${status}`);
  });
  return url;
}

async function startWorker(t: ExecutionContext, env: Readonly<Record<string, string>>) {
  const worker = await startProgram({
    entry: { path: WORKER },
    args: [],
    env: { NODE_OPTIONS: '--conditions=svc-source', ...env },
  });
  t.teardown(() => worker.end('SIGKILL'));
  return worker;
}
