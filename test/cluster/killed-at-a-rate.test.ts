import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startRuntime } from '../support/runtime.ts';
import { makeTenant } from '../support/tenant.ts';

/*
 * One of two processes is killed (SIGKILL) while executions begin at a rate. Those that have a token and did not
 * begin in it take room of the bucket, so no more begin together when the other has taken over.
 */

const STARTS = 60;
const KILLED_AT = 15;
const INTERVAL_MS = 100;
const BURST = 2;
/** Tokens that come while nobody looks: a look is 250 ms after the last one. */
const UNSEEN = 3;

test('no more executions begin together after a process is killed', async (t) => {
  t.timeout(120_000);
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const first = await startRuntime({ databaseUrl: database.url });
  const second = await startRuntime({ databaseUrl: database.url, apiKey: first.apiKey });
  t.teardown(() => Promise.all([first, second].map((runtime) => runtime.end('SIGKILL'))));
  const svc = await makeTenant({
    request: (request) => first.request(request),
    tenantId: 'acme',
  });
  const id = await svc.register({
    workflow_id: 'paced',
    rate: { limit: 1_000 / INTERVAL_MS, per: '1s', burst: BURST },
    nodes: { go: { kind: { type: 'pass' } } },
  });
  const started = await Promise.all(Array.from({ length: STARTS }, () => svc.start(id)));
  const completed = async () => {
    const path = `/executions/counts?workflow_id=${id}&status=completed`;
    return (await svc.get<{ readonly total: number }>(path)).body.total;
  };
  const untilBegun = (count: number) =>
    eventually(async () => {
      const total = await completed();
      if (total < count) throw new Error(`${total} have begun`);
    });
  await untilBegun(KILLED_AT);
  await second.end('SIGKILL');
  await untilBegun(STARTS);
  const begun: number[] = [];
  for (const execution of started) {
    const event = (await svc.events(execution)).find(({ kind }) => kind === 'NodeScheduled');
    begun.push(Date.parse(event?.created_at ?? ''));
  }
  begun.sort((one, other) => one - other);
  let most = 0;
  for (const [last, until] of begun.entries()) {
    for (const [at, since] of begun.slice(0, last + 1).entries()) {
      most = Math.max(most, last - at + 1 - (until - since) / INTERVAL_MS);
    }
  }
  t.true(most <= BURST + UNSEEN, `${most} began beyond the rate`);
  t.deepEqual(first.errors(), []);
});
