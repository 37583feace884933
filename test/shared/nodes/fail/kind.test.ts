import test from 'ava';
import { enter, nodeProblems } from '../enter.ts';

test('it ends the execution as failed, with the message and the class given', (t) => {
  t.deepEqual(enter({ kind: 'fail', message: 'no seats left', class: 'sold_out' }), {
    do: 'end',
    error: 'no seats left',
    errorClass: 'sold_out',
  });
  t.like(enter({ kind: { type: 'fail', message: 'no seats left' } }), { errorClass: 'error' });
});

test('message and class are mappings over state, input and output', (t) => {
  const node = {
    kind: {
      type: 'fail',
      message: { expr: '"order " + input.id + ": " + output.error' },
      class: '$.why',
    },
  };
  const around = { state: { why: 'declined' }, input: { id: 'o1' }, output: { error: 'no money' } };
  t.deepEqual(enter(node, around), {
    do: 'end',
    error: 'order o1: no money',
    errorClass: 'declined',
  });
});

test('a message that cannot be evaluated, or is no text, fails the node', (t) => {
  t.like(enter({ kind: { type: 'fail', message: { expr: '"n is " + 3' } } }), {
    do: 'fail',
    errorClass: 'expression_error',
  });
  t.like(enter({ kind: { type: 'fail', message: '$.n' } }, { state: { n: 3 } }), {
    do: 'fail',
    error: 'message must be text that is not empty',
    errorClass: 'invalid_value',
  });
  t.like(enter({ kind: { type: 'fail', message: 'm', class: '$.absent' } }), {
    do: 'fail',
    error: 'class must be text that is not empty',
  });
});

test('a node without a message, or with values that are never text, is refused', (t) => {
  t.deepEqual(nodeProblems({ kind: 'fail' }), ['/message: missing message']);
  t.deepEqual(nodeProblems({ kind: { type: 'fail', message: 3, class: ['a'] } }), [
    '/kind/message: must be text that is not empty, a path, or {"expr": "…"}',
    '/kind/class: must be text that is not empty, a path, or {"expr": "…"}',
  ]);
  t.deepEqual(nodeProblems({ kind: { type: 'fail', message: { expr: '1 +' } } }).length, 1);
});
