import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Dump, EventOf } from './dump.ts';
import type { ExampleRun, Mutable } from './example-run.ts';
import type { Ask } from './history.ts';

const ORIGINAL = 'exec_8';
const FORK = 'exec_9';
const AFTER = 8;
const [NOUGHT, ONE] = [{ n: 0 }, { n: 1 }];
const SENT = { correlation_key: 'go', payload: ONE };
const itemOf = (index: number): JsonObject => ({
  visit: index,
  from: ['each'],
  map: { node_id: 'each', visit: 0, index },
});

/** An execution with a map, and a fork of it after the first of two items. */
export function addFork(run: ExampleRun): ExampleRun {
  addExecution(run.last, ORIGINAL, [
    ['WorkflowStarted', null, { input: {} }],
    ['NodeScheduled', 'a', { visit: 0, from: [] }],
    ['NodeCompleted', 'a', { visit: 0, output: null }],
    ['NodeScheduled', 'each', { visit: 0, from: ['a'] }],
    ['NodeScheduled', 'item', { ...itemOf(0), work_item_id: 'm0', idempotency_key: 'mk0' }],
    ['NodeScheduled', 'item', { ...itemOf(1), work_item_id: 'm1', idempotency_key: 'mk1' }],
    ['NodeCompleted', 'item', { visit: 0, output: NOUGHT }],
    ['ExternalEventReceived', null, SENT],
    ['NodeCompleted', 'item', { visit: 1, output: ONE }],
    ['NodeCompleted', 'each', { visit: 0, output: [NOUGHT, ONE] }],
    ['WorkflowCompleted', null, {}],
  ]);
  addExecution(run.last, FORK, [
    [
      'WorkflowStarted',
      null,
      {
        input: {},
        forked_from: { execution_id: ORIGINAL, sequence: AFTER, node_id: null },
        carried: { state: {}, mailbox: [SENT] },
      },
    ],
    ['NodeScheduled', 'each', { visit: 0, from: ['a'], carried_items: [0] }],
    ['NodeScheduled', 'item', { ...itemOf(1), work_item_id: 'f1', idempotency_key: 'fk1' }],
    ['NodeCompleted', 'item', { visit: 1, output: ONE }],
    ['NodeCompleted', 'each', { visit: 0, output: [NOUGHT, ONE] }],
    ['WorkflowCompleted', null, {}],
  ]);
  eventOf(run, FORK, 1).actor_id = 'token:forker';
  run.last.audit_log.push({
    tenant_id: 'amber',
    execution_id: ORIGINAL,
    event_type: 'fork_requested',
    actor_id: 'token:forker',
    payload: { fork: FORK, sequence: AFTER, node_id: null },
  });
  const at = { sequence: AFTER };
  const asks = { do: 'fork', executionId: ORIGINAL, at, statePatch: null, key: 'k' } as const;
  const answer = { execution_id: FORK, forked_from: ORIGINAL, sequence: AFTER, node_id: null };
  addDeed(run, asks, answer);
  addDeed(run, { do: 'list_forks', executionId: ORIGINAL }, { forks: [{ execution_id: FORK }] });
  return run;
}

/** By rule: a function that breaks it. */
export const FORKS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'a fork begins at the point that was asked for': (run) =>
    void Object.assign(deedOf(run, 'fork').asks, { at: { sequence: AFTER - 1 } }),
  'a fork begins with the state at its point': (run) =>
    void Object.assign(carriedIn(run), { state: { more: 1 } }),
  'a fork keeps the events that no node has taken': (run) =>
    void Object.assign(carriedIn(run), { mailbox: [] }),
  'a fork repeats nothing that it keeps': (run) => void (eventOf(run, FORK, 2).node_id = 'a'),
  'a fork keeps completed items, and runs the others': (run) =>
    void Object.assign(eventOf(run, FORK, 2).payload, { carried_items: [0, 1] }),
  'the kept items of a map have the recorded outputs': (run) =>
    void Object.assign(eventOf(run, FORK, 5).payload, { output: [ONE, ONE] }),
  'a fork runs what its original had not completed': (run) =>
    void (eventOf(run, FORK, 2).node_id = 'b'),
  'a fork shares no key and no item with another execution': (run) =>
    void Object.assign(eventOf(run, FORK, 3).payload, { idempotency_key: 'mk1' }),
  'the request of a fork writes into no other execution': (run) =>
    void (eventOf(run, ORIGINAL, 9).actor_id = 'token:forker'),
  'a fork undoes its own steps alone': (run) =>
    void Object.assign(eventOf(run, FORK, 3).payload, { undoes: { node_id: 'a', visit: 0 } }),
  'nobody waits for a fork': ({ last }) =>
    void Object.assign(last.executions.at(-1) ?? {}, { parent_execution_id: 'exec_1' }),
  'a fork is one entry of the audit log of its original': ({ last }) => void last.audit_log.pop(),
  'a fork in an answer exists': (run) =>
    void Object.assign(deedOf(run, 'fork').answer?.body ?? {}, { sequence: AFTER - 1 }),
  'an execution lists its forks': (run) =>
    void Object.assign(deedOf(run, 'list_forks').answer?.body ?? {}, { forks: [] }),
  'a fork is made once for its key': (run) => {
    eventOf(run, FORK, 1).actor_id = 'token:another';
  },
  'each request without a key makes a fork': (run) => {
    const { asks, answer } = deedOf(run, 'fork');
    Object.assign(asks, { key: null });
    addDeed(run, asks, answer?.body ?? {});
  },
};

type Told = readonly [kind: string, nodeId: string | null, payload: JsonObject];

export function addExecution(last: Mutable<Dump>, id: string, told: readonly Told[]): void {
  last.executions.push({
    id,
    tenant_id: 'amber',
    workflow_id: 'w',
    parent_execution_id: null,
    status: 'completed',
    last_sequence: told.length,
  });
  for (const [index, [kind, nodeId, payload]] of told.entries()) {
    last.events.push({
      execution_id: id,
      sequence: index + 1,
      kind,
      node_id: nodeId,
      payload: structuredClone(payload),
      actor_id: 'system:scheduler',
      created_at: 1_000 + index,
    });
  }
}

export function addDeed(run: ExampleRun, asks: Ask, body: JsonObject): void {
  const place = Math.max(...run.deeds.map(({ ended }) => ended ?? 0));
  const [begun, ended] = [place + 1, place + 2];
  const answer = { status: 200, body: { ...body } };
  run.deeds.push({ client: 'forker', tenantId: 'amber', asks: { ...asks }, begun, ended, answer });
}

export function deedOf(run: ExampleRun, name: Ask['do']) {
  const deed = run.deeds.find(({ asks }) => asks.do === name);
  if (deed === undefined) throw new Error(`there is no ${name}`);
  return deed;
}

export function eventOf(run: ExampleRun, execution: string, sequence: number): Mutable<EventOf> {
  const event = run.last.events.find(
    (one) => one.execution_id === execution && one.sequence === sequence,
  );
  if (event === undefined) throw new Error(`${execution} has no event ${sequence}`);
  return event;
}

function carriedIn(run: ExampleRun): object {
  return eventOf(run, FORK, 1).payload['carried'] as object;
}
