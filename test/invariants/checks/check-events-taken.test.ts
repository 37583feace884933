import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { checkEventsTaken } from './check-events-taken.ts';
import type { Dump, EventOf } from '../dump.ts';

/** An execution that carries over two events, of which -2 is the earlier, and takes both. */
function takes(first: string, second: string): Dump {
  const event = (sequence: number, kind: string, payload: JsonObject): EventOf => ({
    execution_id: 'exec_1',
    sequence,
    kind,
    node_id: null,
    payload,
    actor_id: 'system',
    created_at: 0,
  });
  const mailbox = ['earlier', 'later'].map((payload) => ({ correlation_key: 'k', payload }));
  const events = [
    event(1, 'WorkflowStarted', { carried: { mailbox } }),
    event(2, 'NodeCompleted', { event_sequence: -2, output: first }),
    event(3, 'NodeCompleted', { event_sequence: -1, output: second }),
  ];
  return { events } as unknown as Dump;
}

test('waits take carried events in the order in which they were sent', (t) => {
  t.deepEqual(checkEventsTaken(takes('earlier', 'later')), []);
});

test('the check finds a wait that takes another carried event', (t) => {
  const rules = checkEventsTaken(takes('later', 'earlier')).map(({ rule }) => rule);
  t.deepEqual(rules, ['a wait gets the sent payload', 'a wait gets the sent payload']);
});
