import test from 'ava';

import { History, planOf } from '../../../support/history.ts';
import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';

const work = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

function timerFired(nodeId: string, purpose: 'wait' | 'approval_timeout'): ExecutionEvent {
  return { kind: 'TimerFired', nodeId, payload: { purpose, visit: 0 } };
}

function received(payload: number): ExecutionEvent {
  return {
    kind: 'ExternalEventReceived',
    nodeId: null,
    payload: { correlation_key: 'k', payload },
  };
}

test('an approval that was accepted stands, though its timer fires before it is answered', (t) => {
  const history = new History(
    planOf({ nodes: { ask: { kind: { type: 'human_approval', timeout_secs: 5 } } }, edges: [] }),
  );
  history.record(
    {
      kind: 'ApprovalReceived',
      nodeId: 'ask',
      payload: { visit: 0, decision: 'approved', user_id: 'kim', comment: null },
    },
    timerFired('ask', 'approval_timeout'),
  );
  t.is(history.state.status, 'completed');
});

for (const condition of ['either', 'external_event']) {
  test(`an event that came before the timer ends the wait (${condition})`, (t) => {
    const history = new History(
      planOf({
        nodes: {
          wait: {
            kind: { type: 'wait', condition, correlation_key: 'k', timeout_secs: 5 },
            output_key: 'out',
          },
        },
        edges: [],
      }),
    );
    history.record(received(1), timerFired('wait', 'wait'));
    t.is(history.state.status, 'completed');
    t.deepEqual(history.state.data, { out: 1 });
    t.deepEqual(history.state.mailbox, []);
  });
}

test('two tokens on one cycle do not wait for a branch that cannot reach them', (t) => {
  const again = (to: string) => ({ from: to === 'x' ? 'y' : 'x', to, condition: 'state.again' });
  const history = new History(
    planOf({
      start_node: 'split',
      nodes: {
        split: { kind: { type: 'parallel', branches: ['a', 'b', 'ask'] } },
        a: work,
        b: work,
        x: work,
        y: work,
        ask: { kind: 'human_approval' },
      },
      edges: [{ from: 'a', to: 'x' }, { from: 'b', to: 'y' }, again('x'), again('y')],
    }),
  );
  history.complete('a');
  history.complete('b');
  t.deepEqual(history.liveNodes(), ['ask', 'x']);
  history.complete('x');
  t.deepEqual(history.liveNodes(), ['ask', 'y']);
  history.complete('y');
  t.is(history.state.status, 'paused');
  history.approve('ask', 'approved');
  t.is(history.state.status, 'completed');
});

test('an item put back on its queue after its last attempt counts attempts from zero', (t) => {
  const history = new History(planOf({ nodes: { a: work }, edges: [] }));
  history.fail('a', true);
  history.fail('a', true);
  t.is(history.live('a').attempt, 2);
  const payload = { visit: 0, attempt: 0, error: 'broke', error_class: 'error', retryable: true };
  history.record({ kind: 'NodeFailed', nodeId: 'a', payload });
  t.is(history.live('a').attempt, 1);
});

test('an execution with more to decide is running, even while it waits for other things', (t) => {
  const statuses: string[] = [];
  const history = new History(
    planOf({
      start_node: 'split',
      nodes: {
        split: { kind: { type: 'parallel', branches: ['ask', 'each'] } },
        ask: { kind: 'human_approval' },
        each: { kind: { type: 'map', items: 'state.list', node: 'one' } },
        one: { kind: 'pass' },
      },
      edges: [],
    }),
    { list: Array.from({ length: 600 }, (_, index) => index) },
    (state) => {
      statuses.push(state.status);
      return state;
    },
  );
  t.deepEqual(new Set(statuses), new Set(['running']));
  t.is(history.state.status, 'paused');
});
