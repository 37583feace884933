import test from 'ava';

import { measureJudged } from '../../../../src/shared/domain/eval/measure-judged.ts';
import type {
  ExecutionEvent,
  RecordedEvent,
} from '../../../../src/shared/domain/execution/event.ts';

/** Consecutive events, each with its time in milliseconds. */
function recorded(events: readonly (readonly [number, ExecutionEvent])[]): RecordedEvent[] {
  return events.map(([ms, event], index) => ({
    ...event,
    sequence: index + 1,
    createdAt: new Date(ms).toISOString(),
    actorId: 'system:scheduler',
  }));
}

const scheduled = (
  nodeId: string,
  visit: number,
  from: readonly string[] = [],
): ExecutionEvent => ({
  kind: 'NodeScheduled',
  nodeId,
  payload: { visit, node_kind: 'model', phase: 'work', from },
});
const completed = (nodeId: string, visit: number, usage?: object): ExecutionEvent => ({
  kind: 'NodeCompleted',
  nodeId,
  payload: { visit, output: null, ...(usage && { usage: usage as never }) },
});
const failed = (
  nodeId: string,
  visit: number,
  retryable: boolean,
  usage?: object,
): ExecutionEvent => ({
  kind: 'NodeFailed',
  nodeId,
  payload: {
    visit,
    attempt: 0,
    error: 'e',
    error_class: 'error',
    retryable,
    ...(usage && { usage: usage as never }),
  },
});
const used = (tokens: number, cost: number | null) => ({
  input_tokens: tokens,
  output_tokens: 1,
  cost_usd: cost,
});

test('time runs from the scheduling to the end, and all attempts of the visit count', (t) => {
  const events = recorded([
    [0, scheduled('a', 0)],
    [100, completed('a', 0, used(1_000, 1))],
    [200, scheduled('a', 1)],
    [250, scheduled('b', 0)],
    [300, failed('a', 1, true, used(10, 0.25))],
    [400, completed('b', 0, used(5_000, 5))],
    [500, completed('a', 1, used(20, 0.5))],
    [600, scheduled('e', 0, ['a'])],
  ]);
  t.deepEqual(measureJudged(events), { durationMs: 300, tokens: 32, costUsd: 0.75 });
});

test('the steps of a function count, unless an execution before has counted them', (t) => {
  const step = { identity: 'ask', kind: 'step', usage: used(10, 0.25) } as const;
  const more = { ...step, identity: 'more', usage: used(5, 0.5) };
  const payload = { visit: 0, turn: 0, position: 0 };
  const carried = { ...payload, entries: [step], carried: true } as const;
  const events = recorded([
    [0, scheduled('a', 0)],
    [0, { kind: 'StepRecorded', nodeId: 'a', payload: carried }],
    [50, { kind: 'StepRecorded', nodeId: 'a', payload: { ...payload, entries: [more] } }],
    [100, completed('a', 0, used(1, 1))],
    [200, scheduled('e', 0, ['a'])],
  ]);
  t.deepEqual(measureJudged(events), { durationMs: 100, tokens: 8, costUsd: 1.5 });
});

test('the last of several predecessors to end is judged, and one that failed may be', (t) => {
  const events = recorded([
    [0, scheduled('a', 0)],
    [0, scheduled('b', 0)],
    [50, completed('a', 0)],
    [70, failed('b', 0, false)],
    [80, scheduled('e', 0, ['a', 'b'])],
  ]);
  t.deepEqual(measureJudged(events), { durationMs: 70, tokens: 0, costUsd: 0 });
});

test('a price that is not known makes the sum unknown', (t) => {
  const events = recorded([
    [0, scheduled('a', 0)],
    [10, failed('a', 0, true, used(1, null))],
    [20, completed('a', 0, used(1, 1))],
    [30, scheduled('e', 0, ['a'])],
  ]);
  t.deepEqual(measureJudged(events), { durationMs: 20, tokens: 4, costUsd: null });
});

test('events that begin too late tell nothing yet', (t) => {
  const events = recorded([
    [0, scheduled('a', 0)],
    [10, completed('a', 0)],
    [20, scheduled('e', 0, ['a'])],
  ]);
  t.is(measureJudged(events.slice(1)), null);
  t.is(measureJudged(events.slice(2)), null);
});

test('where nothing led nothing is known', (t) => {
  const events = recorded([[0, scheduled('e', 0)]]);
  t.deepEqual(measureJudged(events), { durationMs: null, tokens: null, costUsd: null });
});
