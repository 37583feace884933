import { loadavg } from 'node:os';

import { defineFunction } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/*
 * Measures the time from the end of a sleep to the commit that resumes the function, both by the
 * clock of the database. The log has the figures; the bounds only distinguish a timer from a poll,
 * on a busy machine.
 */

const check = onBothStores();

const NAPS = 30;
const MEDIAN_MS_MAX = 500;

const nap = defineFunction<{ ms: number }>('nap', async (ctx, { ms }) => {
  await ctx.sleep(ms);
});

check('a sleep never ends before its time, and soon after it', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [nap] } });
  const late: number[] = [];
  let id = await startFunction(tenant, nap, { ms: 100 });
  for (let naps = 1; naps <= NAPS; naps += 1) {
    await tenant.until(id, 'completed');
    const events = await tenant.events(id);
    const suspended = events.find(({ kind }) => kind === 'NodeSuspended');
    const resumed = events.find(({ kind }) => kind === 'NodeResumed');
    const [wait] = (suspended?.payload['waits'] ?? []) as readonly { readonly delay_ms: number }[];
    const dueAt = Date.parse(suspended?.created_at ?? '') + (wait?.delay_ms ?? Number.NaN);
    late.push(Date.parse(resumed?.created_at ?? '') - dueAt);
    id = await tenant.start('nap', { ms: 100 + naps * 7 });
  }
  late.sort((one, other) => one - other);
  const at = (part: number) => late[Math.floor((late.length - 1) * part)] ?? Number.NaN;
  const [load = 0] = loadavg();
  t.log(`late by ${at(0.5)} ms (p50), ${at(0.99)} ms (p99) at a load of ${load.toFixed(1)}`);
  // The clock has microseconds, the events have milliseconds.
  t.true(at(0) >= -1, `${at(0)} ms`);
  t.true(at(0.5) < MEDIAN_MS_MAX, `${at(0.5)} ms`);
});
