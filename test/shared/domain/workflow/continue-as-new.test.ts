import test from 'ava';

import type { JsonValue } from '../../../../src/shared/domain/json.ts';
import { lines, read } from './read.ts';

function problemsWith(continue_as_new: JsonValue): readonly string[] {
  const result = read({ workflow_id: 'w', nodes: {}, continue_as_new });
  return result.ok ? [] : lines(result.problems);
}

test('the point at which a run continues as new is a number of events, a condition, or both', (t) => {
  t.deepEqual(problemsWith({ after_events: 100 }), []);
  t.deepEqual(problemsWith({ when: 'state.n > 3' }), []);
  t.deepEqual(problemsWith({ after_events: 5_000, when: 'state.n > 3' }), []);
  t.deepEqual(problemsWith(null), []);
});

test('refused, with place and reason', (t) => {
  const atLeast = '/continue_as_new/after_events: must be a whole number, 100 or more';
  t.deepEqual(problemsWith({}), ['/continue_as_new: missing after_events or when']);
  t.deepEqual(problemsWith('often'), [
    '/continue_as_new: must be an object with after_events, when, or both',
  ]);
  for (const after_events of [99, 100.5, '100'])
    t.deepEqual(problemsWith({ after_events }), [atLeast]);
  t.deepEqual(problemsWith({ when: 3 }), ['/continue_as_new/when: must be an expression']);
  t.regex(problemsWith({ when: 'state.' })[0] ?? '', /^\/continue_as_new\/when: /);
});
