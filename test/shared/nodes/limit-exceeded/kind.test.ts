import test from 'ava';
import { enter, nodeProblems } from '../enter.ts';

test('it ends the execution as failed', (t) => {
  t.deepEqual(enter({ kind: 'limit_exceeded' }), {
    do: 'end',
    error: 'limit exceeded',
    errorClass: 'limit_exceeded',
  });
  t.like(enter({ kind: { type: 'limit_exceeded', message: 'five rounds' } }), {
    error: 'limit exceeded: five rounds',
  });
});

test('a message that is no text is refused', (t) => {
  t.deepEqual(nodeProblems({ kind: { type: 'limit_exceeded', message: {} } }), [
    '/kind/message: must be a string',
  ]);
});
