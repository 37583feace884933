import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { parseExecutionId } from '../../../../src/shared/domain/ids.ts';
import { fireExecutionId } from '../../../../src/shared/domain/schedules/fire-execution-id.ts';
import { planTurn, type TurnGiven } from '../../../../src/shared/domain/schedules/plan-turn.ts';
import type {
  Schedule,
  SchedulePosition,
} from '../../../../src/shared/domain/schedules/schedule.ts';
import { makeExecutionId } from '../../store/contract/make.ts';

const TEN = '2026-11-20T10:00:00.000Z';
const LAST = makeExecutionId();

test('a fire that is due is started, and the next one awaited', (t) => {
  const turn = planTurn(given());
  t.deepEqual(turn.position, {
    nextFireAt: '2026-11-20T10:01:00.000Z',
    waitingFireAt: null,
    startingFireAt: TEN,
    lateFires: 0,
  });
  t.like(turn.start, { fireAt: TEN, cancels: null, again: false });
  // The turn counts as interrupted after ten seconds.
  t.is(turn.dueAt, '2026-11-20T10:00:10.500Z');
});

test('one that is not due is left alone', (t) => {
  const turn = planTurn(given({ now: '2026-11-20T09:59:59.999Z' }));
  t.is(turn.start, null);
  t.is(turn.dueAt, TEN);
  t.is(turn.position.nextFireAt, TEN);
});

test('the execution of a fire is always the same, and no other fire’s', (t) => {
  const id = fireExecutionId({ scheduleId: 's', fireAt: TEN });
  t.is(planTurn(given({ schedule: { scheduleId: 's' } })).start?.executionId, id);
  t.is(parseExecutionId(id), id);
  t.is(Number.parseInt(id.slice(5, 17), 16), Date.parse(TEN));
  t.regex(id, /^exec_[0-9a-f]{12}7[0-9a-f]{3}8[0-9a-f]{15}$/);
  t.not(fireExecutionId({ scheduleId: 'r', fireAt: TEN }), id);
  t.not(fireExecutionId({ scheduleId: 's', fireAt: '2026-11-20T10:01:00.000Z' }), id);
});

test('a start that was broken off is made again before anything else', (t) => {
  const position = at({ startingFireAt: TEN, nextFireAt: '2026-11-20T10:01:00.000Z' });
  const now = '2026-11-20T10:01:30.000Z';
  const turn = planTurn(given({ now, schedule: { position }, tenantStatus: 'suspended' }));
  t.like(turn.start, { fireAt: TEN, again: true });
  t.deepEqual(turn.position, position);
});

test('the schedule decides about events while the last execution is live', (t) => {
  const live = { lastIsLive: true };
  const skip = planTurn(given({ ...live, schedule: { overlapPolicy: 'skip' } }));
  t.like(skip, { start: null, counts: { skipped: 1 }, dueAt: '2026-11-20T10:01:00.000Z' });
  const allow = planTurn(given({ ...live, schedule: { overlapPolicy: 'allow' } }));
  t.like(allow.start, { fireAt: TEN, cancels: null });
  const cancel = planTurn(given({ ...live, schedule: { overlapPolicy: 'cancel_previous' } }));
  t.like(cancel.start, { fireAt: TEN, cancels: LAST });
  const ended = planTurn(given({ schedule: { overlapPolicy: 'cancel_previous' } }));
  t.like(ended.start, { cancels: null });
});

test('with queue one fire waits, and further ones are skipped', (t) => {
  const schedule = { overlapPolicy: 'queue' } as const;
  const first = planTurn(given({ lastIsLive: true, schedule }));
  t.like(first.position, { waitingFireAt: TEN, nextFireAt: '2026-11-20T10:01:00.000Z' });
  t.like(first.counts, { skipped: 0 });
  t.is(first.start, null);
  const now = '2026-11-20T10:01:00.000Z';
  const waiting = { ...schedule, position: first.position };
  const second = planTurn(given({ now, lastIsLive: true, schedule: waiting }));
  t.like(second, { position: { waitingFireAt: TEN }, counts: { skipped: 1 } });
  // The waiting fire starts before the due one, which then finds a live execution.
  const third = planTurn(given({ now, schedule: waiting }));
  t.like(third.start, { fireAt: TEN });
  t.like(third.position, { waitingFireAt: null, startingFireAt: TEN, nextFireAt: now });
});

test('a waiting fire is looked at ever less often', (t) => {
  const position = at({ waitingFireAt: TEN, nextFireAt: '2026-11-21T10:00:00.000Z' });
  const looks = [500, 20_000, 3_600_000].map((waitedMs) => {
    const now = new Date(Date.parse(TEN) + waitedMs).toISOString();
    const turn = planTurn(given({ now, lastIsLive: true, schedule: { position } }));
    return Date.parse(turn.dueAt ?? '') - Date.parse(now);
  });
  t.deepEqual(looks, [1_000, 5_000, 30_000]);
});

test('missed fires within the window are started in order, older ones counted', (t) => {
  const schedule = { catchupWindowSecs: 180 };
  const now = '2026-11-20T10:10:30.000Z';
  const first = planTurn(given({ now, schedule }));
  t.is(first.start, null);
  t.is(first.counts.missed, 8);
  t.is(first.position.nextFireAt, '2026-11-20T10:08:00.000Z');
  const started: unknown[] = [];
  let { position } = first;
  for (;;) {
    const turn = planTurn(given({ now, schedule: { ...schedule, position } }));
    if (turn.start === null) break;
    started.push(turn.start.fireAt);
    position = { ...turn.position, startingFireAt: null };
  }
  t.deepEqual(
    started,
    ['08', '09', '10'].map((minute) => `2026-11-20T10:${minute}:00.000Z`),
  );
  t.is(position.lateFires, 3);
});

test('without a window what was missed is given up, and what is a little late is not', (t) => {
  const schedule = { catchupWindowSecs: 0 };
  const late = planTurn(given({ now: '2026-11-20T10:00:10.000Z', schedule }));
  t.like(late.start, { fireAt: TEN });
  const missed = planTurn(given({ now: '2026-11-20T10:00:10.001Z', schedule }));
  t.like(missed, { start: null, counts: { missed: 1 } });
  t.is(missed.position.nextFireAt, '2026-11-20T10:01:00.000Z');
});

test('no more than a thousand missed fires are made up for in a row', (t) => {
  const now = '2026-11-20T14:00:00.000Z';
  const position = { ...at({}), lateFires: 1_000 };
  const schedule = { catchupWindowSecs: 86_400, position };
  const turn = planTurn(given({ now, schedule }));
  t.is(turn.start, null);
  t.is(turn.counts.missed, 240);
  t.like(turn.position, { nextFireAt: now, lateFires: 0 });
});

test('a year of missed seconds is passed over at once', (t) => {
  const schedule = { cronExpression: '* * * * * *' };
  const turn = planTurn(given({ now: '2027-11-20T10:00:00.000Z', schedule }));
  t.is(turn.counts.missed, 1_000);
  t.is(turn.position.nextFireAt, '2027-11-20T09:59:00.000Z');
});

test('a tenant that is not active has its fires given up', (t) => {
  const turn = planTurn(given({ tenantStatus: 'suspended' }));
  t.like(turn, { start: null, counts: { failed: 1 }, error: 'the tenant is suspended' });
  t.is(turn.dueAt, '2026-11-20T10:01:00.000Z');
});

function at(position: Partial<SchedulePosition>): SchedulePosition {
  return { nextFireAt: TEN, waitingFireAt: null, startingFireAt: null, lateFires: 0, ...position };
}

function given(
  changes: Partial<Omit<TurnGiven, 'schedule'>> & { readonly schedule?: Partial<Schedule> } = {},
): TurnGiven {
  return {
    now: '2026-11-20T10:00:00.500Z',
    tenantStatus: 'active',
    lastIsLive: false,
    ...changes,
    schedule: {
      scheduleId: 'a-schedule',
      tenantId: 'acme' as TenantId,
      name: 'every minute',
      workflowId: 'w',
      workflowVersion: null,
      input: {},
      cronExpression: '* * * * *',
      every: null,
      timezone: 'UTC',
      overlapPolicy: 'skip',
      catchupWindowSecs: 60,
      paused: false,
      position: at({}),
      counts: { started: 0, skipped: 0, missed: 0, failed: 0 },
      lastFireAt: null,
      lastExecutionId: LAST,
      lastError: null,
      revision: 1,
      turn: 0,
      dueAt: TEN,
      createdAt: TEN,
      updatedAt: TEN,
      ...changes.schedule,
    },
  };
}
