import test from 'ava';

import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import { History, planOf } from '../../../support/history.ts';

const work = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

test('data that live visits have pinned together is written once', (t) => {
  const items = Array.from({ length: 500 }, (_, index) => `item-${index}-${'x'.repeat(100)}`);
  const history = new History(
    planOf({
      start_node: 'fetch',
      nodes: {
        fetch: work,
        each: { kind: { type: 'map', items: 'output.list', node: 'one' } },
        one: { ...work, input_mapping: { value: 'input.item' } },
      },
      edges: [{ from: 'fetch', to: 'each' }],
    }),
    { big: 'y'.repeat(50_000) },
  );
  history.complete('fetch', { list: items });
  history.complete('one', {}, { changed: true });
  t.is(history.state.live.size, 101);
  const text = encodeState(history.state);
  // The text contains the state before and after the change, and the list.
  t.true(text.length < 300_000, `${text.length} characters`);
  const decoded = decodeState(text);
  t.deepEqual(decoded, history.state);
  const visits = [...decoded.live.values()];
  t.is(new Set(visits.map((visit) => visit.scope.data)).size, 2);
  t.is(new Set(visits.map((visit) => visit.scope.output)).size, 1);
});

test('a map of many items folds in one go', (t) => {
  const count = 10_000;
  const history = new History(
    planOf({
      start_node: 'each',
      nodes: {
        each: { kind: { type: 'map', items: 'state.list', node: 'one' }, output_key: 'results' },
        one: { kind: { type: 'pass', output: { n: 'input.item' } } },
      },
      edges: [],
    }),
    { list: Array.from({ length: count }, (_, index) => index) },
  );
  t.is(history.state.status, 'completed');
  const begun = performance.now();
  const folded = history.refold();
  const elapsedMs = performance.now() - begun;
  t.is(folded.stepsExecuted, count + 1);
  // A copy of the results at every item would take several seconds.
  t.true(elapsedMs < 3_000, `${Math.round(elapsedMs)} ms`);
});
