import test from 'ava';

import {
  CHECKPOINT_EVENTS,
  createStateFolds,
  FOLDED_EVENTS_MAX,
  type StateFolds,
} from '../../../../../src/shared/engine/executions/history/state-folds.ts';
import type { NewEvent } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { openTestStore } from '../../../../support/stores.ts';
import { commitOne, start } from '../../../store/contract/drive.ts';
import { makeEvent, makePlan } from '../../../store/contract/make.ts';

/** Beside the first event: two for each visit, the second of which sets `n`. */
const VISITS = 2_600;
const LAST = 1 + 2 * VISITS;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a long history is folded once, and then from the nearest checkpoint`, async (t) => {
    const { store, row, close } = await openLong(dialect);
    t.teardown(close);
    const first = count(store);
    const whole = await first.folds.foldTo(row, LAST);
    t.deepEqual(whole.state.data, { name: 'Ada', n: VISITS - 1 });
    t.like(first.read(), { events: LAST, kept: [CHECKPOINT_EVENTS, 2 * CHECKPOINT_EVENTS] });

    // As in another process, which knows nothing but the store.
    for (const sequence of [LAST, LAST - 1, 2 * CHECKPOINT_EVENTS + 1, CHECKPOINT_EVENTS + 7]) {
      const other = count(store);
      const fold = await other.folds.foldTo(row, sequence);
      t.is(fold.state.sequence, sequence);
      t.deepEqual(fold.state.data, { name: 'Ada', n: Math.floor((sequence - 3) / 2) });
      t.is(fold.event?.sequence, sequence);
      const setter = sequence % 2 === 1 ? sequence : sequence - 1;
      t.like(fold.settings.keys.get('n'), { sequence: setter, kind: 'NodeCompleted' });
      t.like(fold.settings.keys.get('name'), { sequence: 1, kind: 'WorkflowStarted' });
      const { events, kept } = other.read();
      t.true(events <= CHECKPOINT_EVENTS, `${events} events for ${sequence}`);
      t.deepEqual(kept, []);
    }
  });

  test(`${dialect}: a later state is folded onto an earlier one`, async (t) => {
    const { store, row, close } = await openLong(dialect);
    t.teardown(close);
    const { folds, read } = count(store);
    const earlier = await folds.foldTo(row, 1_000);
    t.is(read().events, 1_000);
    const later = await folds.foldTo(row, 1_100, earlier);
    t.is(later.state.sequence, 1_100);
    t.is(read().events, 1_100);
    t.is(earlier.state.sequence, 1_000);
  });
}

test('readers of one history at the same time fold it once', async (t) => {
  const { store, row, close } = await openLong('sqlite');
  t.teardown(close);
  const { folds, read } = count(store);
  const many = await Promise.all(Array.from({ length: 5 }, () => folds.foldTo(row, LAST)));
  t.deepEqual(new Set(many.map(({ state }) => state.sequence)), new Set([LAST]));
  t.true(read().events <= LAST + 4 * CHECKPOINT_EVENTS, `${read().events} events`);
});

test('no checkpoint is kept of a state that is longer than the events since the last', async (t) => {
  const { store, row, close } = await openLong('sqlite', { note: 'x'.repeat(1_000_000) });
  t.teardown(close);
  const { folds, read } = count(store);
  await folds.foldTo(row, LAST);
  t.deepEqual(read().kept, [CHECKPOINT_EVENTS]);
});

test('413: an event too far from the last checkpoint is refused before an event is read', async (t) => {
  const { store, row, close } = await openLong('sqlite');
  t.teardown(close);
  const { folds, read } = count(store);
  const lastSequence = FOLDED_EVENTS_MAX + 1;
  await t.throwsAsync(folds.foldTo({ ...row, lastSequence }, lastSequence), {
    message: /payload too large: .* read the state after event 100000 first/,
  });
  t.is(read().events, 0);
});

async function openLong(dialect: 'sqlite' | 'postgres', more: object = {}) {
  const { store, close } = await openTestStore(dialect);
  const execution = await start(store);
  const events = Array.from({ length: VISITS }, (_, visit) => visitEvents(visit, more)).flat();
  await commitOne(store, makePlan(execution, { events }));
  const row = await store.executions.find(execution.executionId, execution.tenantId);
  if (row === null) throw new Error('the execution was not found');
  return { store, row, close };
}

function visitEvents(visit: number, more: object): readonly NewEvent[] {
  const payload = { visit, node_kind: 'pass', phase: 'none', from: [] };
  const patch = { n: visit, ...(visit === 0 ? more : {}) };
  return [
    makeEvent({ kind: 'NodeScheduled', payload: JSON.stringify(payload) }),
    makeEvent({
      kind: 'NodeCompleted',
      payload: JSON.stringify({ visit, output: {}, state_patch: patch }),
    }),
  ];
}

/** The folds of one process, with what they read and kept. */
function count(store: Store): {
  readonly folds: StateFolds;
  readonly read: () => { readonly events: number; readonly kept: readonly number[] };
} {
  let events = 0;
  const kept: number[] = [];
  const folds = createStateFolds({
    executions: {
      ...store.executions,
      events: async (range) => {
        const found = await store.executions.events(range);
        events += found.length;
        return found;
      },
    },
    checkpoints: {
      ...store.checkpoints,
      keep: async (checkpoint) => {
        kept.push(checkpoint.sequence);
        await store.checkpoints.keep(checkpoint);
      },
    },
  });
  return { folds, read: () => ({ events, kept: [...kept] }) };
}
