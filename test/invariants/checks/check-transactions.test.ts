import test from 'ava';

import { checkTransactions } from './check-transactions.ts';
import type { Dump, EventOf } from '../dump.ts';

const EXECUTION = 'exec_1';

function settled(writtenIn: {
  readonly call: string;
  readonly result: string;
  readonly record: string;
}) {
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
  const record = { execution_id: EXECUTION, idempotency_key: 'k', work_item_id: 'i' };
  const recorded_outputs = [{ ...record, event_sequence: 3, written_in: writtenIn.record }];
  return { events, recorded_outputs, work_items: [], request_keys: [] } as unknown as Dump;
}

test('a settle, its result and its record in one transaction are as they must be', (t) => {
  t.deepEqual(checkTransactions(settled({ call: '8', result: '8', record: '8' })), []);
});

test('a record that was written apart is found, and so is a result', (t) => {
  const rules = (dump: Dump) => checkTransactions(dump).map(({ rule }) => rule);
  t.deepEqual(rules(settled({ call: '8', result: '8', record: '9' })), [
    'a result is recorded in the transaction of its event',
  ]);
  t.deepEqual(rules(settled({ call: '8', result: '9', record: '9' })), [
    'a settle and its result are one transaction',
  ]);
});
