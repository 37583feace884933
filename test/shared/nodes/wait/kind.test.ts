import test from 'ava';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { enter, nodeProblems } from '../enter.ts';

const wait = (fields: JsonObject): JsonObject => ({ kind: { type: 'wait', ...fields } });

test('a timer completes when its time is over', (t) => {
  t.deepEqual(enter(wait({ condition: 'timer', timeout_secs: 2 })), {
    do: 'wait',
    timer: { delayMs: 2_000 },
    correlationKey: null,
    onTimeout: 'complete',
  });
});

test('an event is waited for under the id of the node, unless a key is given', (t) => {
  t.deepEqual(enter(wait({ condition: 'external_event' })), {
    do: 'wait',
    timer: null,
    correlationKey: 'n',
    onTimeout: 'fail',
  });
  const keyed = (key: string, state: JsonObject = {}) =>
    enter(wait({ condition: 'external_event', correlation_key: key }), { state });
  t.like(keyed('paid'), { correlationKey: 'paid' });
  t.like(keyed('$.order', { order: 'o-1' }), { correlationKey: 'o-1' });
  t.like(keyed('state.order', { order: 17 }), { correlationKey: '17' });
});

test('beside an event a time is a limit, with either it is another way on', (t) => {
  const fields = { correlation_key: 'k', timeout_secs: '5m' };
  const timer = { delayMs: 300_000 };
  t.like(enter(wait({ condition: 'external_event', ...fields })), { timer, onTimeout: 'fail' });
  t.like(enter(wait({ condition: 'either', ...fields })), { timer, onTimeout: 'complete' });
});

test('the time may be worked out from the state', (t) => {
  const state = { delay: 3, text: '2s', at: '2030-01-31T09:00:00+01:00' };
  const timerOf = (fields: JsonObject) => enter(wait({ condition: 'timer', ...fields }), { state });
  t.like(timerOf({ timeout_secs: '$.delay' }), { timer: { delayMs: 3_000 } });
  t.like(timerOf({ timeout_secs: 'state.delay * 2' }), { timer: { delayMs: 6_000 } });
  t.like(timerOf({ timeout_secs: { expr: 'state.text' } }), { timer: { delayMs: 2_000 } });
  t.like(timerOf({ timeout_secs: { literal: '1h' } }), { timer: { delayMs: 3_600_000 } });
  t.like(timerOf({ until: '$.at' }), { timer: { until: '2030-01-31T08:00:00.000Z' } });
  t.like(timerOf({ until: 'state.at' }), { timer: { until: '2030-01-31T08:00:00.000Z' } });
});

test('until is an instant, brought to UTC', (t) => {
  const until = (text: string) => enter(wait({ condition: 'timer', until: text }));
  t.like(until('2030-01-31T09:00:00.5Z'), { timer: { until: '2030-01-31T09:00:00.500Z' } });
  t.like(until('2030-01-31'), { timer: { until: '2030-01-31T00:00:00.000Z' } });
});

test('without a condition, what is given tells it', (t) => {
  t.like(enter(wait({ timeout_secs: 1 })), { correlationKey: null, onTimeout: 'complete' });
  t.like(enter(wait({ correlation_key: 'k' })), { correlationKey: 'k', timer: null });
  t.deepEqual(nodeProblems(wait({ correlation_key: 'k', timeout_secs: 1 })), [
    '/kind/condition: missing condition: external_event or either',
  ]);
});

test('values that make no wait fail the node', (t) => {
  const failing = (fields: JsonObject, state: JsonObject = {}) =>
    t.like(enter(wait(fields), { state }), { do: 'fail', errorClass: 'invalid_value' });
  failing({ condition: 'timer', timeout_secs: '$.none' });
  failing({ condition: 'timer', timeout_secs: '$.x' }, { x: -1 });
  failing({ condition: 'timer', until: '$.x' }, { x: 'tomorrow' });
  failing({ condition: 'external_event', correlation_key: '$.none' });
  failing({ condition: 'external_event', correlation_key: '$.x' }, { x: '' });
  failing({ condition: 'external_event', correlation_key: '$.x' }, { x: 'é'.repeat(257) });
  t.like(enter(wait({ condition: 'timer', timeout_secs: '1 / 0' })), {
    do: 'fail',
    errorClass: 'expression_error',
  });
});

test('a wait for nothing is refused', (t) => {
  t.deepEqual(nodeProblems(wait({})), [
    '/kind/condition: nothing to wait for: missing condition, one of timer, external_event, either',
  ]);
  for (const condition of ['timer', 'either']) {
    t.deepEqual(nodeProblems(wait({ condition })), [
      `/kind/timeout_secs: nothing to wait for: ${condition} needs timeout_secs or until`,
    ]);
  }
});

const REFUSED: readonly [JsonObject, RegExp][] = [
  [{ timeout_secs: -1 }, /^\/kind\/timeout_secs: must be seconds/],
  [{ timeout_secs: true }, /^\/kind\/timeout_secs: must be seconds/],
  [{ timeout_secs: { literal: 'soon' } }, /^\/kind\/timeout_secs: must be seconds/],
  [{ timeout_secs: '2 weeks' }, /^\/kind\/timeout_secs: .*syntax error/],
  [{ until: '2030-13-01' }, /^\/kind\/until: must be an ISO 8601 instant/],
  [{ until: '2030-02-30' }, /^\/kind\/until: must be an ISO 8601 instant/],
  [{ until: '2030-01-31T09:00:00' }, /^\/kind\/until: must be an ISO 8601 instant/],
  [{ until: 5 }, /^\/kind\/until: must be an ISO 8601 instant/],
  [{ until: '2030-01-31', timeout_secs: 1 }, /^\/kind\/until: timeout_secs or until, not both/],
  [{ condition: 'event' }, /^\/kind\/condition: must be one of timer, external_event, either/],
];

for (const [fields, expected] of REFUSED) {
  test(`refused: ${JSON.stringify(fields)}`, (t) => {
    const problems = nodeProblems(wait({ condition: 'timer', ...fields }));
    t.is(problems.length, 1);
    t.regex(problems[0] ?? '', expected);
  });
}
