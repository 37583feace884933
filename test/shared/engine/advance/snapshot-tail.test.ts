import test from 'ava';

import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import {
  addToTail,
  emptyTail,
  isWorthSnapshot,
} from '../../../../src/shared/engine/advance/snapshot-tail.ts';

const event = (chars: number): ExecutionEvent => ({
  kind: 'NodeCompleted',
  nodeId: 'n',
  payload: { visit: 0, output: 'x'.repeat(chars) },
});

/** Lengths of the snapshots of an execution whose state grows with each event. */
function snapshotsOf(params: { readonly events: number; readonly keeps: number }): number[] {
  const snapshots: number[] = [];
  let tail = emptyTail(0);
  let state = 0;
  for (let count = 0; count < params.events; count += 1) {
    tail = addToTail(tail, [event(100)]);
    state += params.keeps;
    if (!isWorthSnapshot(tail, 'running')) continue;
    snapshots.push(state);
    tail = emptyTail(state);
  }
  return snapshots;
}

test('the snapshots of a state that keeps everything are together as long as its history', (t) => {
  const snapshots = snapshotsOf({ events: 40_000, keeps: 100 });
  const written = snapshots.reduce((sum, chars) => sum + chars, 0);
  t.true(written < 2 * 40_000 * 125, `${written} in ${snapshots.length}`);
  t.true(snapshots.length > 5);
});

test('a state that stays small is kept every 256 events, and sooner while it waits', (t) => {
  t.is(snapshotsOf({ events: 2_560, keeps: 0 }).length, 10);
  const tail = addToTail(emptyTail(0), Array<ExecutionEvent>(32).fill(event(1)));
  t.true(isWorthSnapshot(tail, 'paused'));
  t.false(isWorthSnapshot(tail, 'running'));
  t.false(isWorthSnapshot(tail, 'completed'));
});

test('the outputs in a journal count for a snapshot, and hardly for the state', (t) => {
  const output = 'x'.repeat(10_000);
  const recorded: ExecutionEvent = {
    kind: 'StepRecorded',
    nodeId: 'n',
    payload: { visit: 0, turn: 0, position: 0, entries: [{ identity: 'a', kind: 'step', output }] },
  };
  const tail = addToTail(emptyTail(0), [recorded, event(100)]);
  t.true(tail.chars > 10_000);
  t.true(tail.stateChars < 300);
});
