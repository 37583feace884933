import test from 'ava';

import { checkTransactions } from './check-transactions.ts';
import type { Dump, EventOf } from '../dump.ts';

const EXECUTION = 'exec_1';

function settled(writtenIn: { readonly call: string; readonly result: string }) {
  const event = (sequence: number, kind: string, written_in: string): EventOf => ({
    execution_id: EXECUTION,
    sequence,
    kind,
    node_id: 'a',
    payload: { visit: 0 },
    actor_id: 'worker:w',
    created_at: 0,
    written_in,
  });
  const events = [
    event(1, 'WorkflowStarted', '7'),
    event(2, 'ToolCallCompleted', writtenIn.call),
    event(3, 'NodeCompleted', writtenIn.result),
  ];
  return { events, request_keys: [] } as unknown as Dump;
}

test('a settle and its result in one transaction are as they must be', (t) => {
  t.deepEqual(checkTransactions(settled({ call: '8', result: '8' })), []);
});

test('a result that was written apart is found', (t) => {
  const rules = (dump: Dump) => checkTransactions(dump).map(({ rule }) => rule);
  t.deepEqual(rules(settled({ call: '8', result: '9' })), [
    'a settle and its result are one transaction',
  ]);
});
