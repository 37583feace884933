import test, { type ExecutionContext } from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { createAuditSealing } from '../../../../src/shared/engine/audit/audit-sealing.ts';
import { SEALING_BUDGET } from '../../../../src/shared/engine/audit/sealing-pace.ts';
import { verifyAudit } from '../../../../src/shared/engine/audit/verify-audit.ts';
import type { AuditStore, SealingRound } from '../../../../src/shared/store/audit.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';
import { commitOne, start } from '../../store/contract/drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../../store/contract/make.ts';

/* The real stores seal; the clock of the pace is virtual: a round costs what it did. */

const EVENTS = 12_000;
const EVENTS_OF_COMMIT = 500;
/** As measured with bench/scale/sealing.ts. */
const MS = { item: 0.025, roundTrip: 2 };
const CALL_TRIPS_MAX = 7;
/** Items a second. */
const RATE_MIN = 1_000;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: sealing catches up on a backlog within its budget`, async (t) => {
    const { store, audit } = await openScene(t, dialect);
    await fill(store, EVENTS);
    const { items, busyMs, passedMs, roundTrips, windows } = await catchUp(store.dialect, audit, {
      msOf: (sealed) => sealed.items * MS.item + sealed.roundTrips * MS.roundTrip,
    });
    t.true(items >= EVENTS, `${items} items`);
    t.true(windows > 2);
    t.true(busyMs / passedMs <= SEALING_BUDGET.coreShare + 0.001);
    t.true((roundTrips * 1_000) / passedMs <= SEALING_BUDGET.roundTripsPerSecond + 0.001);
    t.true((items * 1_000) / passedMs > RATE_MIN, `${items} items in ${passedMs} ms`);
    const { problems } = await verifyAudit(audit, { tenantId: null, expected: null });
    t.deepEqual(problems, []);
  });

  test(`${dialect}: where rounds are slow, windows get smaller and the share stays`, async (t) => {
    const { store, audit } = await openScene(t, dialect);
    await fill(store, EVENTS);
    const { items, busyMs, passedMs, asked } = await catchUp(store.dialect, audit, {
      msOf: () => 2_000,
    });
    t.true(items >= EVENTS);
    const [first = 0, , third] = asked;
    t.is(third, first / 4);
    t.true(busyMs / passedMs <= SEALING_BUDGET.coreShare + 0.001);
  });

  test(`${dialect}: a window of managing requests is bounded too`, async (t) => {
    const { store, audit } = await openScene(t, dialect);
    const tenantId = makeTenantId();
    for (let one = 0; one < 60; one += 1) await append(store, tenantId);
    await passMillisecond();
    const { items, more } = await audit.seal({ itemsMax: 20, lagMs: 0 });
    t.true(more);
    t.true(items < 60, `${items} items`);
  });
}

test('postgres: a call ends after some searches of a long time without items', async (t) => {
  const { store, audit, age } = await openScene(t, 'postgres');
  await start(store);
  await age({ table: 'executions', columns: ['created_at'], byMs: 2 * 86_400_000 });
  await passMillisecond();
  const calls = [];
  for (let more = true; more && calls.length < 10;) {
    const round = await audit.seal({ itemsMax: 100, lagMs: 0 });
    calls.push(round);
    ({ more } = round);
  }
  t.true(calls.length > 1);
  t.deepEqual(calls.at(-1)?.items, 1);
  for (const { roundTrips } of calls) t.true(roundTrips <= CALL_TRIPS_MAX, `${roundTrips}`);
  const { problems } = await verifyAudit(audit, { tenantId: null, expected: null });
  t.deepEqual(
    problems.filter(({ what }) => what !== 'execution_changed'),
    [],
  );
});

/** Seals until nothing is left, with the rests that the rounds ask for. */
async function catchUp(
  dialect: Store['dialect'],
  real: AuditStore,
  { msOf }: { readonly msOf: (sealed: SealingRound) => number },
) {
  let passedMs = 0;
  let busyMs = 0;
  let roundTrips = 0;
  const sizes: number[] = [];
  const asked: number[] = [];
  const audit: Pick<AuditStore, 'seal'> = {
    async seal(params) {
      const sealed = await real.seal(params);
      const tookMs = msOf(sealed);
      busyMs += tookMs;
      passedMs += tookMs;
      roundTrips += sealed.roundTrips;
      if (sealed.items > 0) sizes.push(sealed.items);
      asked.push(params.itemsMax);
      return sealed;
    },
  };
  const sealing = createAuditSealing({ dialect, audit }, { now: () => passedMs });
  await passMillisecond();
  // The rest after the last round is the loop's own, so that round does not count.
  let spent = { busyMs, passedMs, roundTrips };
  for (;;) {
    const round = await sealing.round();
    if (!round.more) break;
    passedMs += round.restMsMin ?? 0;
    spent = { busyMs, passedMs, roundTrips };
  }
  const items = sizes.reduce((sum, size) => sum + size, 0);
  return { ...spent, items, asked, windows: sizes.length };
}

async function openScene(t: ExecutionContext, dialect: Dialect) {
  const opened = await openTestStore(dialect);
  t.teardown(() => opened.close());
  const { store, url, age } = opened;
  if (dialect === 'sqlite') return { store, age, audit: store.audit };
  const sealer = await openPostgresStore({
    url,
    poolSize: 1,
    maxOverflow: 0,
    audit: { finalMs: 0 },
  });
  t.teardown(() => sealer.close());
  return { store, age, audit: sealer.audit };
}

async function fill(store: Store, events: number): Promise<void> {
  const execution = await start(store);
  for (let made = 0; made < events; made += EVENTS_OF_COMMIT) {
    const some = Array.from({ length: EVENTS_OF_COMMIT }, () =>
      makeEvent({ kind: 'NodeScheduled' }),
    );
    await commitOne(store, makePlan(execution, { events: some }));
  }
}

function append(store: Store, tenantId: TenantId): Promise<void> {
  const entry = { eventType: 'companion_prompt', actorId: 'token:app', payload: {} };
  return store.audit.append({ tenantId, executionId: null, ...entry });
}

/** The current millisecond is never sealed. */
async function passMillisecond(): Promise<void> {
  const begun = Date.now();
  await eventually(() => {
    if (Date.now() <= begun) throw new Error('the clock stands still');
  });
}
