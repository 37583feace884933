import test, { type ExecutionContext } from 'ava';

import { createCpuUse } from '../../../src/scheduler/pool/cpu-use.ts';
import {
  createTurns,
  type LimitedCaller,
  type Turn,
  TurnRefusedError,
  type TurnSettings,
} from '../../../src/scheduler/pool/turns.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';

test('one tenant never gets all threads, however much it asks for', async (t) => {
  const { take, begun } = open(t, { threadsMax: 4, tenantThreadsMax: 2 });
  for (let n = 0; n < 10; n += 1) void take('mallory');
  await settled();
  t.deepEqual(begun(), ['mallory', 'mallory']);
  void take('acme');
  await settled();
  t.deepEqual(begun(), ['mallory', 'mallory', 'acme']);
});

test('the tenant with fewer running tasks is next, then the one that has used less', async (t) => {
  const { take, begun, clock } = open(t, { threadsMax: 2, tenantThreadsMax: 2 });
  const first = await take('mallory');
  const second = await take('mallory');
  for (let n = 0; n < 3; n += 1) void take('mallory');
  void take('acme');
  void take('zebra');
  clock.ms += 5000;
  first.end(5000);
  await settled();
  second.end(5000);
  await settled();
  await settled();
  t.deepEqual(begun(), ['mallory', 'mallory', 'acme', 'zebra']);
});

test('429: the queue of a tenant is bounded, and others have their own', async (t) => {
  const { take } = open(t, { threadsMax: 1, tenantThreadsMax: 1, tenantWaitingMax: 3 });
  for (let n = 0; n < 4; n += 1) void take('mallory');
  const error = await t.throwsAsync(take('mallory'), { instanceOf: TurnRefusedError });
  t.like(error, { refusal: 'tenant_queue', status: 429, headers: { 'Retry-After': '1' } });
  void take('acme');
});

test('503: where all queues together are full, the longest makes room', async (t) => {
  const { take, refused } = open(t, { threadsMax: 1, tenantThreadsMax: 1, waitingMax: 4 });
  for (let n = 0; n < 5; n += 1) void take('mallory');
  void take('acme');
  await settled();
  t.deepEqual(refused, ['mallory queue']);
  const error = await t.throwsAsync(take('mallory'), { instanceOf: TurnRefusedError });
  t.like(error, { refusal: 'queue', status: 503 });
});

test('503: a request waits no longer than it may; work of the engine does', async (t) => {
  const { take, refused } = open(t, { threadsMax: 1, tenantThreadsMax: 1, waitMsMax: 20 });
  const running = await take('acme');
  const work = take('acme', { whenBusy: 'waits' });
  const error = await t.throwsAsync(take('acme'), { instanceOf: TurnRefusedError });
  t.like(error, { refusal: 'wait', status: 503 });
  running.end(1);
  (await work).end(1);
  t.deepEqual(refused, ['acme wait']);
});

test('a caller that leaves is taken out of the queue', async (t) => {
  const { take, turns } = open(t, { threadsMax: 1, tenantThreadsMax: 1 });
  const running = await take('acme');
  const gone = new AbortController();
  const waiting = take('acme', { signal: gone.signal });
  t.is(turns.waiting(), 1);
  gone.abort();
  t.like(await t.throwsAsync(waiting), { refusal: 'abandoned' });
  t.is(turns.waiting(), 0);
  running.end(1);
  t.like(await t.throwsAsync(take('acme', { signal: gone.signal })), { refusal: 'abandoned' });
});

test('429: beyond its limit of CPU time a tenant learns when to retry', async (t) => {
  const { take, clock } = open(t, { threadsMax: 2, tenantThreadsMax: 1 });
  const limited = { cpuSecondsMax: 10 };
  (await take('mallory', limited)).end(20_000);
  const error = await t.throwsAsync(take('mallory', limited), { instanceOf: TurnRefusedError });
  t.like(error, { refusal: 'tenant_limit', status: 429, headers: { 'Retry-After': '42' } });
  (await take('acme', limited)).end(1);
  (await take('unlimited')).end(1);
  clock.ms += 42_000;
  (await take('mallory', limited)).end(1);
});

test('work of the engine waits until its tenant is within the limit again', async (t) => {
  const { take, clock, begun } = open(t, { threadsMax: 2, tenantThreadsMax: 2 });
  const limited = { cpuSecondsMax: 10, whenBusy: 'waits' } as const;
  (await take('mallory', limited)).end(10_001);
  const work = take('mallory', limited);
  const other = await take('acme');
  await settled();
  t.deepEqual(begun(), ['mallory', 'acme']);
  clock.ms += 1000;
  other.end(1);
  (await work).end(1);
  // The pool also checks the queue again when the limit allows it, even if no task ends meanwhile.
  const last = open(t, { threadsMax: 1, tenantThreadsMax: 1 });
  (await last.take('mallory', limited)).end(10_000.1);
  const soon = last.take('mallory', limited);
  last.clock.ms += 1000;
  (await soon).end(1);
});

test('no competitor is lost or run twice', async (t) => {
  const { take, turns } = open(t, {
    threadsMax: 3,
    tenantThreadsMax: 2,
    waitingMax: 1000,
    tenantWaitingMax: 1000,
  });
  let running = 0;
  const ran: string[] = [];
  await Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const turn = await take(`tenant${n % 7}`);
      running += 1;
      t.true(running <= 3);
      ran.push(`${n}`);
      await settled();
      running -= 1;
      turn.end(n % 5);
    }),
  );
  t.is(new Set(ran).size, 300);
  t.is(turns.waiting(), 0);
});

function open(t: ExecutionContext, settings: Partial<TurnSettings>) {
  const clock = { ms: 0 };
  const turns = createTurns({
    threadsMax: 2,
    tenantThreadsMax: 1,
    waitingMax: 100,
    tenantWaitingMax: 100,
    waitMsMax: 60_000,
    use: createCpuUse({ now: () => clock.ms }),
    ...settings,
  });
  t.teardown(() => turns.close());
  const order: string[] = [];
  const refused: string[] = [];
  const take = (tenant: string, caller: Partial<LimitedCaller> = {}): Promise<Turn> => {
    const tenantId = tenant as TenantId;
    const taken = turns.take({
      tenantId,
      signal: null,
      whenBusy: 'refused',
      cpuSecondsMax: null,
      ...caller,
    });
    taken.then(
      () => order.push(tenant),
      (error: TurnRefusedError) => refused.push(`${tenant} ${error.refusal}`),
    );
    return taken;
  };
  return { turns, take, clock, refused, begun: () => order };
}

/** Lets all promises settle that can. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
