import test from 'ava';
import { enter, nodeProblems } from '../enter.ts';

test('without an output it completes with null and leaves the state alone', (t) => {
  t.deepEqual(enter({ kind: 'pass' }), { do: 'complete', output: null });
  t.deepEqual(enter({}), { do: 'complete', output: null });
});

test('an output that is an object is merged into the state', (t) => {
  const entry = enter(
    { kind: 'pass', output: { sum: { expr: 'state.a + 1' } } },
    { state: { a: 1 } },
  );
  t.deepEqual(entry, { do: 'complete', output: { sum: 2 }, statePatch: { sum: 2 } });
});

test('an output of another kind is not merged', (t) => {
  t.deepEqual(enter({ kind: 'pass', output: [1, '$.a'] }, { state: { a: 2 } }), {
    do: 'complete',
    output: [1, 2],
  });
});

test('with an output key the output is left to go under it', (t) => {
  t.deepEqual(enter({ kind: 'pass', output: { a: 1 }, output_key: 'k' }), {
    do: 'complete',
    output: { a: 1 },
  });
});

test('for an item of a map nothing is merged: the map collects the output', (t) => {
  const node = { kind: 'pass', output: { double: { expr: 'input.n * 2' } } };
  t.deepEqual(enter(node, { item: { key: 'n', value: 4 } }), {
    do: 'complete',
    output: { double: 8 },
  });
});

test('without an output a mapped input is passed on, and not merged', (t) => {
  t.deepEqual(enter({ input_mapping: { a: '$.x' } }, { state: { x: 1 } }), {
    do: 'complete',
    output: { a: 1 },
  });
});

test('an expression that fails fails the node and is quoted', (t) => {
  const entry = enter({ kind: 'pass', output: { expr: 'state.a < 3' } });
  t.like(entry, { do: 'fail', errorClass: 'expression_error' });
  t.true(entry.do === 'fail' && entry.error.includes('state.a < 3'));
});

test('a syntax error in the output is refused where it stands', (t) => {
  const [problem] = nodeProblems({ kind: 'pass', output: { a: [{ expr: '1 +' }] } });
  t.regex(problem ?? '', /^\/output\/a\/0\/expr: .*1 \+.*syntax error/);
});
