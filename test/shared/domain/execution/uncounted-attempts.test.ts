import test from 'ava';

import { MISFIT_CLASS } from '../../../../src/shared/domain/execution/function-run.ts';
import { History, planOf } from '../../../support/history.ts';

/* Attempts that do not count: refusals by rate limits, and turns whose code did not fit the journal. */

const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

function refuse(history: History, errorClass: string, times: number): void {
  for (let made = 0; made < times; made += 1) {
    const { visit, attempt } = history.live('a');
    const failed = { visit, attempt, error: 'not now', error_class: errorClass };
    const payload = { ...failed, retryable: true, retry_delay_ms: 1, counted: false } as const;
    history.record({ kind: 'NodeFailed', nodeId: 'a', payload });
  }
}

function note(history: History, name: string, kept: boolean): void {
  const { visit, attempt } = history.live('a');
  const payload = { visit, attempt, work_item_id: 'item', name, data: { score: 1 }, kept };
  history.record({ kind: 'NodeProgress', nodeId: 'a', payload });
}

const uncounted = (history: History) => history.live('a').memory?.uncounted;

test('refusals by rate limits add up until the visit records something new', (t) => {
  const history = new History(planOf({ nodes: { a: call } }));
  refuse(history, 'rate_limited', 3);
  t.is(uncounted(history), 3);
  history.fail('a', true);
  note(history, 'first', false);
  t.is(uncounted(history), 3, 'neither a counted failure nor a note is progress');
  note(history, 'first', true);
  t.is(uncounted(history), 0);
  refuse(history, 'rate_limited', 2);
  note(history, 'first', true);
  t.is(uncounted(history), 2, 'the same value again is no progress');
  note(history, 'second', true);
  t.is(uncounted(history), 0);
  t.deepEqual(Object.keys(history.live('a').memory?.progress ?? {}), ['first', 'second']);
});

test('work that parks for a person counts refusals from 0 when it resumes', (t) => {
  const history = new History(planOf({ nodes: { a: call } }));
  refuse(history, 'rate_limited', 3);
  const { visit, attempt } = history.live('a');
  const approval = { description: 'May it?', shown: { amount: 5 } };
  const payload = { visit, attempt, work_item_id: 'item', approval };
  history.record({ kind: 'NodeParked', nodeId: 'a', payload });
  history.approve('a', 'approved');
  t.like(history.live('a'), { phase: 'work', memory: { uncounted: 0 } });
});

test('a function whose code fits again waits as briefly at its next misfit as at its first', (t) => {
  const history = new History(planOf({ nodes: { a: { kind: 'function', name: 'shop.order' } } }));
  const { visit } = history.live('a');
  const turn = () => history.live('a').run?.turn ?? 0;
  refuse(history, MISFIT_CLASS, 4);
  t.is(uncounted(history), 4);
  const entries = [{ identity: 'pay', kind: 'step', output: 1 }] as const;
  const recorded = { visit, turn: turn(), position: 0, entries };
  history.record({ kind: 'StepRecorded', nodeId: 'a', payload: recorded });
  t.is(uncounted(history), 0);
  refuse(history, MISFIT_CLASS, 2);
  t.is(uncounted(history), 2);
  const { attempt, workItemId } = history.live('a');
  const ended = { visit, attempt, turn: turn(), work_item_id: workItemId ?? '', lease_fence: 1 };
  const waits = [{ identity: 'nap', kind: 'timer', delay_ms: 5 }] as const;
  const payload = { ...ended, request_hash: 'hash', waits };
  history.record({ kind: 'NodeSuspended', nodeId: 'a', payload });
  t.is(uncounted(history), 0);
});
