import test from 'ava';

import { checkClaims, type Records } from '../../examples/demo/claims.ts';
import type { Event } from '../../examples/demo/timeline.ts';

/* The demo must not exaggerate: each claim fails when the records do not support it. */

const KEYS = { reserve: 'a'.repeat(64), authorize: 'b'.repeat(64), dispatch: 'c'.repeat(64) };

test('records of a good run bear every claim out', (t) => {
  t.deepEqual(failing(goodRecords()), []);
});

test('an execution that has not completed is no success', (t) => {
  const records = goodRecords();
  const execution = { ...records.execution, status: 'failed' };
  t.is(failing({ ...records, execution }).length, 1);
});

test('a gap in the sequence is found', (t) => {
  const records = goodRecords();
  const events = records.events.filter(({ sequence }) => sequence !== 5);
  t.true(failing({ ...records, events }).some((text) => text.includes('without a gap')));
});

test('an event that changed after the crash is found', (t) => {
  const records = goodRecords();
  const events = records.events.map((event) =>
    event.sequence === 2 ? { ...event, created_at: '2026-01-01T00:00:09.000Z' } : event,
  );
  t.true(failing({ ...records, events }).some((text) => text.includes('unchanged')));
});

test('a finished step that was called again is found, even with the same key', (t) => {
  const records = goodRecords();
  const again = { ...callOf('inventory.reserve', KEYS.reserve, 'reservation-1'), isFirst: false };
  const failed = failing({ ...records, calls: [...records.calls, again] });
  t.is(failed.length, 1);
  t.regex(failed[0] ?? '', /inventory\.reserve.*2 calls/);
});

test('a call with a key that is not the step’s is found', (t) => {
  const records = goodRecords();
  const other = callOf('shipping.dispatch', 'd'.repeat(64), 'parcel-4');
  t.is(failing({ ...records, calls: [...records.calls, other] }).length, 1);
});

test('a second recorded result is found', (t) => {
  const records = goodRecords();
  const last = records.events.length;
  const again = event(last + 1, 'NodeCompleted', 'dispatch', { output: { parcel_id: 'parcel-3' } });
  t.true(
    failing({ ...records, events: [...records.events, again] }).some((text) =>
      text.startsWith('shipping.dispatch'),
    ),
  );
});

test('a recorded result that is not what happened in the world is found', (t) => {
  const records = goodRecords();
  const calls = records.calls.map((call) =>
    call.tool === 'payment.authorize' ? { ...call, effect: 'authorization-9' } : call,
  );
  t.is(failing({ ...records, calls }).length, 1);
});

test('a decision by nobody, and a timer that fired early, are found', (t) => {
  const records = goodRecords();
  t.is(failing({ ...records, approvals: [] }).length, 1);
  const events = records.events.map((event) =>
    event.kind === 'TimerFired' ? { ...event, created_at: '2026-01-01T00:00:01.000Z' } : event,
  );
  t.is(failing({ ...records, events }).length, 1);
});

function failing(records: Records): string[] {
  return checkClaims(records)
    .filter(({ holds }) => !holds)
    .map(({ text }) => text);
}

function goodRecords(): Records {
  const steps: [kind: string, nodeId: string | null, payload: Event['payload']][] = [
    ['WorkflowStarted', null, {}],
    ['NodeScheduled', 'reserve', { idempotency_key: KEYS.reserve }],
    ['NodeScheduled', 'authorize', { idempotency_key: KEYS.authorize }],
    ['ToolCallCompleted', 'reserve', {}],
    ['NodeCompleted', 'reserve', { output: { reservation_id: 'reservation-1' } }],
    ['ToolCallCompleted', 'authorize', {}],
    ['NodeCompleted', 'authorize', { output: { authorization_id: 'authorization-2' } }],
    ['TimerStarted', 'cool_off', { delay_ms: 2000 }],
    ['TimerFired', 'cool_off', {}],
    ['NodeScheduled', 'dispatch', { idempotency_key: KEYS.dispatch }],
    ['ToolCallCompleted', 'dispatch', {}],
    ['NodeCompleted', 'dispatch', { output: { parcel_id: 'parcel-3' } }],
    ['WorkflowCompleted', null, {}],
  ];
  const events = steps.map(([kind, nodeId, payload], index) =>
    event(index + 1, kind, nodeId, payload),
  );
  return {
    execution: {
      status: 'completed',
      state: {
        reservation: { reservation_id: 'reservation-1' },
        payment: { authorization_id: 'authorization-2' },
        shipment: { parcel_id: 'parcel-3' },
      },
    },
    eventsBefore: events.slice(0, 5),
    events,
    approvals: [{ decision: 'approved', user_id: 'reviewer' }],
    calls: [
      callOf('inventory.reserve', KEYS.reserve, 'reservation-1'),
      callOf('payment.authorize', KEYS.authorize, 'authorization-2'),
      callOf('shipping.dispatch', KEYS.dispatch, 'parcel-3'),
      { ...callOf('shipping.dispatch', KEYS.dispatch, 'parcel-3'), isFirst: false },
    ],
  };
}

function event(
  sequence: number,
  kind: string,
  nodeId: string | null,
  payload: Event['payload'],
): Event {
  const seconds = kind === 'TimerFired' ? 4 : 2;
  const createdAt = `2026-01-01T00:00:0${seconds}.000Z`;
  return { sequence, kind, node_id: nodeId, created_at: createdAt, payload };
}

function callOf(tool: string, idempotencyKey: string, effect: string): Records['calls'][number] {
  return { tool, idempotencyKey, effect, isFirst: true };
}
