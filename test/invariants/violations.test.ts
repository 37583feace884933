import { readdirSync, readFileSync } from 'node:fs';

import test from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { checkInvariants } from './check-invariants.ts';
import { checkSecrets } from './checks/check-secrets.ts';
import {
  BUDGETS,
  LIMITS,
  makeExampleRun,
  WELL_SINCE,
  type ExampleRun,
  type Mutable,
} from './example-run.ts';
import { CONCURRENCY_BROKEN, KEYS } from './break-concurrency.ts';
import { addDeed, addFork, FORKS_BROKEN } from './break-forks.ts';
import { addArchives, ARCHIVES_BROKEN } from './break-archives.ts';
import { addImports, IMPORTS_BROKEN } from './break-imports.ts';
import { LABELLED, LABELS_BROKEN } from './break-labels.ts';
import { addResults, OUTPUT_KEYS, RESULTS_ALSO_BROKEN, RESULTS_BROKEN } from './break-results.ts';
import { START_RULES, STARTS_BROKEN } from './break-starts.ts';
import { addTenantTurns, TENANT_TURNS_BROKEN } from './break-tenant-turns.ts';
import { addFairTurns, SHARES, TURNS_BROKEN } from './break-turns.ts';
import { ALSO_BROKEN, CONTINUATION_BROKEN } from './break-continuation.ts';
import { addContinuation } from './example-continuation.ts';
import { addFunction, FUNCTION_BROKEN } from './example-function.ts';
import { FUNCTION_RULES } from './fold-functions.ts';
import type { Dump, EventOf, ScheduleOf, TicketOf } from './dump.ts';
import type { Ask, Deed } from './history.ts';

/*
 * Shows that each invariant can fail: a test breaks one thing in a correct run, and the checker
 * finds it.
 */

const SECRETS = ['s3cr3t'];

function rulesBroken(run: ExampleRun): readonly string[] {
  const history = { deeds: run.deeds as Deed[] };
  const texts = { log: run.deeds.find(({ client }) => client === 'a log')?.tenantId ?? '' };
  return [
    ...checkInvariants({
      history,
      dumps: [run.earlier, run.last],
      wellSince: WELL_SINCE,
      limits: LIMITS,
      budgets: BUDGETS,
      keys: KEYS,
      startRules: START_RULES,
      labelled: LABELLED,
      shares: SHARES,
      claims: run.claims,
      engineClaims: run.engineClaims,
      outputKeys: OUTPUT_KEYS,
      waits: run.waits,
      receipts: run.receipts,
      ...(run.archiving !== undefined && { archiving: run.archiving }),
    }),
    ...checkSecrets({ history, secrets: SECRETS, texts }),
  ].map(({ rule }) => rule);
}

test('a run in which all is well violates nothing', (t) => {
  t.deepEqual(rulesBroken(makeExampleRun()), []);
  t.deepEqual(rulesBroken(addFunction(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addArchives(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addContinuation(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addFork(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addImports(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addResults(makeExampleRun())), []);
  t.deepEqual(rulesBroken(addTenantTurns(makeExampleRun())), []);
});

test('a key may get as many turns as its weight allows while another waits', (t) => {
  const broken = rulesBroken(addFairTurns(makeExampleRun()));
  t.deepEqual(
    broken.filter((rule) => rule in TURNS_BROKEN),
    [],
  );
});

test('calls of a quota go to workers as fast as its burst and its rate allow', (t) => {
  const run = makeExampleRun();
  addPaced(run, 200);
  t.deepEqual(rulesBroken(run), []);
});

test('an import may be refused while its id is of a time to come', (t) => {
  const run = addImports(makeExampleRun());
  const { asks } = deedOf(run, 'import');
  const refuse = (of: string, error = 'it is of a time to come: set the clock right') => {
    addDeed(run, { ...asks, of } as Ask, { error });
    Object.assign(run.deeds.at(-1)?.answer ?? {}, { status: 400 });
  };
  refuse('exec_ffffffffffff7abc8def0123456789ab');
  t.deepEqual(rulesBroken(run), []);
  refuse('exec_ffffffffffff7abc8def0123456789ab', 'not now');
  t.deepEqual(rulesBroken(run), ['an import of what ran elsewhere is accepted']);
  run.deeds.pop();
  refuse('exec_0000000000007abc8def0123456789ab');
  t.deepEqual(rulesBroken(run), ['an import of what ran elsewhere is accepted']);
});

test('a schedule that was paused and resumed in between may pass over fires', (t) => {
  const run = makeExampleRun();
  run.earlier.schedules = [SCHEDULE];
  run.last.schedules = [{ ...SCHEDULE, revision: 2, next_fire_at: 2_000 }];
  t.deepEqual(rulesBroken(run), []);
});

/** By rule: a function that breaks it. */
const BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  ...CONCURRENCY_BROKEN,
  ...STARTS_BROKEN,
  ...TURNS_BROKEN,
  ...TENANT_TURNS_BROKEN,
  ...LABELS_BROKEN,
  // Histories
  'every event belongs to an execution': ({ last }) => void last.executions.splice(1, 1),
  'sequences run from 1 without gaps, up to the last of the row': ({ last }) =>
    void last.events.splice(3, 1),
  'the first event, and no other, is WorkflowStarted': ({ last }) =>
    void (eventOf(last.events, 'exec_1', 10).kind = 'WorkflowStarted'),
  'at most one event ends an execution, and it is the last': ({ last }) =>
    void (eventOf(last.events, 'exec_3', 2).kind = 'WorkflowCompleted'),
  'the status matches the events': ({ last }) =>
    void Object.assign(last.executions[0] ?? {}, { status: 'failed' }),
  'an execution ends as its WorkflowEnding says': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_4', 2), ENDING),
  'timestamps of a history never decrease': ({ last }) =>
    void (eventOf(last.events, 'exec_1', 5).created_at = 999),
  'a visit is scheduled once, and ends once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 7), { node_id: 'a' }),
  'a visit ends in one way, and after it began': ({ last }) =>
    void (eventOf(last.events, 'exec_1', 7).kind = 'NodeSkipped'),
  'an approval is decided once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 10), { kind: 'ApprovalReceived' }),
  'a timer fires once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 12), { kind: 'TimerFired' }),
  'a history only grows': ({ earlier }) =>
    void (eventOf(earlier.events, 'exec_1', 3).actor_id = 'worker:other'),
  'a recorded output never changes': ({ earlier }) =>
    void Object.assign(earlier.recorded_outputs[0] ?? {}, { event_sequence: 10 }),
  'a read shows the fold of the events up to some moment': (run) =>
    void (bodyOf(run, 'read', 2)['state'] = { token: 'amber~one', a: 'something else' }),
  'a state as it was is the fold of the events up to then': (run) =>
    void (bodyOf(run, 'read_state')['state'] = { token: 'amber~one' }),
  'a key has had its value since the event that set it': (run) =>
    void Object.assign(bodyOf(run, 'read_state'), { set_by: { token: 1, a: 1 } }),
  'an open approval in a list was asked for': (run) => listApproval(run, 'rest'),
  'a list shows no approval as open whose decision was answered': (run) => listApproval(run, 'ask'),
  'a list shows no open approval of an execution that was read as ended': (run) =>
    listApproval(run, 'ask'),
  'a read of events shows a prefix of the history': (run) =>
    void Object.assign(eventsRead(run)[4] ?? {}, { payload: { visit: 1 } }),
  'a followed execution shows each event once, to its end': (run) => {
    const followed = bodyOf(run, 'follow')['events'] as object[];
    followed.splice(8, 0, followed[8] ?? {});
  },
  'a later read of events is never shorter': (run) => {
    const again = structuredClone(deedOf(run, 'read_events'));
    add(run, again);
    eventsRead({ ...run, deeds: [again] }).splice(10);
  },
  'a later read shows no less': (run) => add(run, structuredClone(deedOf(run, 'read'))),
  'a later read shows every acknowledged change': (run) => void eventsRead(run).splice(8),
  'a later request finds every started execution': (run) =>
    add(run, {
      ...structuredClone(deedOf(run, 'read')),
      answer: { status: 404, body: {} },
    }),

  'an execution begins with the usage of the one before it': (run) => {
    retry(run, 'exec_2', 'exec_3');
    const usage = { input_tokens: 1, output_tokens: 0, cost_usd: null };
    const { payload } = eventOf(run.last.events, 'exec_2', 1);
    Object.assign(payload['carried'] ?? {}, { usage });
  },

  // Work
  'an execution that has ended holds nothing': ({ last }) =>
    void last.work_queue.push(ticket('i1', 'exec_1')),
  'an item is in one place at a time': ({ earlier }) =>
    void earlier.work_queue.push({ ...ticket('i4', 'exec_4'), tenant_id: 'birch' }),
  'rows of an execution belong to its tenant': ({ last }) =>
    void Object.assign(last.work_items[0] ?? {}, { tenant_id: 'birch' }),
  'work that is under way is queued, leased or waits for its retry': ({ earlier }) =>
    void earlier.work_leases.pop(),
  'a queued, leased or waiting item belongs to an open visit': ({ earlier }) =>
    void Object.assign(earlier.work_leases[0] ?? {}, { work_item_id: 'i5' }),
  'fences are never shared, and strictly increase': (run) =>
    void (itemClaimed(run, 2)['lease_fence'] = 1),
  'only the holder of the newest fence is answered 200': (run) => {
    Object.assign(deedOf(run, 'complete').asks, { fence: 1 });
  },
  'a fence that is accepted was handed out with the item': (run) =>
    void Object.assign(deedOf(run, 'heartbeat').asks, { fence: 5 }),
  'a lease is settled once': (run) => void (answerOf(run, 'complete', 1).status = 200),
  'an item is completed once': (run) => {
    Object.assign(deedOf(run, 'complete', 1).asks, { fence: 9 });
    answerOf(run, 'complete', 1).status = 200;
  },
  'an item is not handed out after its completion was answered': (run) => {
    const claim = structuredClone(deedOf(run, 'claim', 1));
    add(run, claim);
    Object.assign(itemClaimed({ ...run, deeds: [claim] }, 0), { lease_fence: 7, attempt: 2 });
  },
  'a lease that was renewed does not lapse before its time': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 3).payload, {
      error_class: 'lease_lapsed',
      work_item_id: 'i1',
      attempt: 1,
    }),
  'claims of an item are no more than its attempts': ({ last }) =>
    void Object.assign(last.work_items[0]?.retry_policy ?? {}, { maxAttempts: 1 }),
  'workers get items of their own tenant': (run) => void (deedOf(run, 'claim').tenantId = 'birch'),
  'a claim hands out the item that was created': (run) =>
    void (itemClaimed(run, 0)['idempotency_key'] = 'k9'),
  'an item is handed out only to a claim that admits it': (run) => {
    Object.assign(deedOf(run, 'claim').asks, { tools: ['pay*', 'tools.?ay'] });
    Object.assign(itemClaimed(run, 0), { tool: 'tools.ship' });
  },
  'a release uses no attempt': (run) => {
    add(run, releaseOf(1));
    Object.assign(eventOf(run.last.events, 'exec_1', 3).payload, { attempt: 7 });
  },
  'a released item is not settled under the same fence': (run) => add(run, releaseOf(2)),
  'a newer fence means a later attempt': (run) => void (itemClaimed(run, 1)['attempt'] = 0),
  'no two leases have one fence': ({ earlier }) =>
    void earlier.work_leases.push({
      ...(earlier.work_leases[0] as (typeof earlier.work_leases)[0]),
    }),

  'no more items of a quota are leased than its limit': ({ earlier }) => {
    const [lease] = earlier.work_leases;
    const item = earlier.work_items.find((one) => one.work_item_id === lease?.work_item_id);
    Object.assign(item ?? {}, { queue_name: 'default#0#m.f#' });
  },
  'calls of a quota go to workers at its rate at most': (run) => addPaced(run, 198),

  // Answers
  'a start is carried out once for its key': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_3', 1).payload, {
      input: { token: 'amber~one' },
    }),
  'a completion is carried out once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 6).payload, { output: {} }),
  'a failure is carried out once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 3).payload, { error: 'something else' }),
  'a decision is carried out once': (run) => void (bodyOf(run, 'approve', 1)['accepted'] = true),
  'an external event is carried out once': ({ last }) =>
    void (eventOf(last.events, 'exec_1', 15).kind = 'NodeSkipped'),
  'an accepted result is recorded under its key': ({ last }) =>
    void Object.assign(last.work_items[0] ?? {}, { idempotency_key: 'k9' }),
  'a cancel wins or loses as a whole': (run) => void (answerOf(run, 'cancel').status = 400),
  'an accepted start has its execution': (run) =>
    void Object.assign(deedOf(run, 'start').asks, { input: { token: 'amber~one', more: 1 } }),
  'a cancelled execution accepts nothing more': (run) => {
    answerOf(run, 'complete', 2).status = 200;
  },
  'an outside input in a history was sent': (run) =>
    void Object.assign(deedOf(run, 'approve').asks, { decision: 'rejected' }),
  'a cancelled execution was cancelled by a request': (run) => {
    run.deeds.splice(run.deeds.indexOf(deedOf(run, 'cancel')), 1);
  },
  'at most one wait takes an external event': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 21).payload, { event_sequence: 15 }),
  'a wait gets the sent payload': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 17).payload, { output: { token: 'x' } }),

  // Undos
  'undos run in reverse order of completion, each once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_3', 2).payload, {
      undoes: { node_id: 'b', visit: 0 },
    }),
  'an end leaves no completed visit without its undo': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_3', 1).payload, {
      carried: { undo: [{ node_id: 'b', visit: 0 }] },
    }),
  'children end before anything of their parent is undone': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 20), {
      kind: 'NodeScheduled',
      payload: { visit: 1, undoes: { node_id: 'a', visit: 0 } },
    }),
  'the end tells how many visits are undone': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_3', 3).payload, { undo: { undone: 1 } }),

  // Families
  'a run continues as exactly one other': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_4', 3).payload, { continued_as: 'exec_9' }),
  'the next run begins with the state of the run before': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_4', 1).payload, {
      continued_from: 'exec_3',
      carried: { state: { token: 'of another' } },
    }),
  'a child begins once, as its parent recorded': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 19).payload, {
      child_execution_id: 'exec_9',
    }),
  'the end of a child is recorded once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 21), {
      kind: 'ChildWorkflowCompleted',
      payload: { child_execution_id: 'exec_2' },
    }),

  // Settles without a fence, and requeues by operators
  'a result without a fence completes no node': (run) => {
    const { output } = deedOf(run, 'complete').asks as { output?: JsonObject };
    add(run, asking(run, { do: 'complete_unfenced', ...ITEM, key: null, output: output ?? {} }));
  },
  'a lease that ended without its fence accepts nothing more': (run) => {
    const { asks } = asking(run, { do: 'fail_unfenced', ...ITEM });
    Object.assign(deedOf(run, 'read'), { asks });
  },
  'an item with a recorded result is not handed out again': (run) => {
    const { asks } = asking(run, { do: 'complete_unfenced', ...ITEM, key: 'k1', output: {} });
    Object.assign(deedOf(run, 'fail'), { asks });
  },
  'an item that ended without its fence is a dead letter': (run) => {
    Object.assign(run.last.executions[3] ?? {}, { status: 'running' });
    add(run, asking(run, { do: 'fail_unfenced', workItemId: 'i4' }));
  },
  'a requeue is one entry of the audit log': (run) =>
    add(run, asking(run, { do: 'requeue', ...ITEM })),

  'nothing is handed out to a suspended tenant': (run) => {
    add(run, asking(run, { do: 'set_status', status: 'suspended' }));
    add(run, structuredClone(deedOf(run, 'claim')));
  },
  'a change of a tenant is one entry of the audit log': (run) =>
    add(run, asking(run, { do: 'set_status', status: 'active' })),

  // Pauses
  'nothing follows while an execution is paused': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 13), PAUSED),
  'a pause begins once, and ends once': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_1', 13), { ...PAUSED, kind: 'ExecutionResumed' }),
  'a paused execution has the status paused': ({ earlier }) =>
    void Object.assign(eventOf(earlier.events, 'exec_4', 2), PAUSED),
  'no item of a paused execution is on a queue': ({ earlier }) => {
    Object.assign(eventOf(earlier.events, 'exec_4', 2), PAUSED);
    earlier.work_queue.push(ticket('i4', 'exec_4'));
  },
  'no item of a paused execution is handed out': (run) => {
    add(run, asking(run, { do: 'pause', executionId: 'exec_1' }));
    add(run, structuredClone(deedOf(run, 'claim')));
  },
  'a request caused every pause and resumption': ({ last }) =>
    void Object.assign(eventOf(last.events, 'exec_4', 2), PAUSED),
  'an acknowledged pause is recorded': (run) =>
    add(run, asking(run, { do: 'pause', executionId: 'exec_1' })),
  'a pause stays until a request ends it': (run) => {
    add(run, asking(run, { do: 'pause', executionId: 'exec_1' }));
    add(run, structuredClone(deedOf(run, 'read')));
  },

  'an execution that starts while its workflow is paused is held': (run) => {
    add(run, asking(run, { do: 'pause_workflow', workflowId: 'w' }));
    run.deeds.push(...run.deeds.splice(run.deeds.indexOf(deedOf(run, 'start')), 1));
    Object.assign(run.deeds.at(-1) ?? {}, { begun: 1_000_000, ended: 1_000_001 });
  },
  'an execution is held as its events say': ({ last }) =>
    void Object.assign(last, { workflow_holds: [{ execution_id: 'exec_1' }] }),

  // Retries
  'an execution is retried once': (run) => {
    retry(run, 'exec_2', 'exec_3');
    retry(run, 'exec_4', 'exec_3');
  },
  'a retried execution has failed or was cancelled': (run) => retry(run, 'exec_2', 'exec_1'),
  'a retry was asked for': (run) => {
    retry(run, 'exec_4', 'exec_3');
    run.deeds.pop();
  },
  'a retry continues with the recorded state': (run) => {
    retry(run, 'exec_4', 'exec_3');
    const { payload } = eventOf(run.last.events, 'exec_4', 1);
    Object.assign(payload, { carried: { state: { token: 'of another' } } });
  },
  'a retry repeats nothing that is recorded': (run) => {
    retry(run, 'exec_4', 'exec_3');
    const [scheduled] = run.last.events.filter((event) => event.kind === 'NodeScheduled');
    run.last.events.push({
      ...(scheduled as EventOf),
      execution_id: 'exec_3',
      kind: 'NodeCompleted',
      sequence: 9,
    });
  },
  'a retry takes over completed items, and runs the others': (run) => {
    retry(run, 'exec_4', 'exec_3');
    const [scheduled] = run.last.events.filter((event) => event.kind === 'NodeScheduled');
    const item = { map: { node_id: 'each', visit: 0, index: 1 }, visit: 0 };
    const add = (execution_id: string, kind: string, sequence: number, payload: JsonObject) =>
      run.last.events.push({ ...(scheduled as EventOf), execution_id, kind, sequence, payload });
    add('exec_3', 'NodeScheduled', 8, item);
    add('exec_3', 'NodeCompleted', 9, { visit: 0 });
    add('exec_4', 'NodeScheduled', 9, { ...item, visit: 7 });
  },
  'a retry in an answer exists': (run) => {
    retry(run, 'exec_4', 'exec_3');
    bodyOf(run, 'retry')['execution_id'] = 'exec_2';
  },

  // Schedules and webhooks
  'each fire of a schedule is decided once': ({ earlier, last }) => {
    earlier.schedules = [SCHEDULE];
    last.schedules = [{ ...SCHEDULE, next_fire_at: 2_000 }];
  },
  'each fire of a schedule starts once': ({ last }) =>
    void (last.schedules = [{ ...SCHEDULE, started: 1 }]),
  'fires overlap only where the policy allows it': ({ last }) => {
    last.schedules = [SCHEDULE];
    for (const execution of last.executions.slice(0, 2)) {
      Object.assign(execution, { status: 'running' });
      eventOf(last.events, execution.id, 1).actor_id = 'schedule:s';
    }
  },
  'a message arrives': ({ last }) => void (last.webhook_deliveries = [MESSAGE]),
  'messages of an execution arrive in order': ({ last }) =>
    void (last.webhook_deliveries = [MESSAGE, { ...MESSAGE, seq: 2 }]),
  'a message is signed with the secret of its webhook': ({ receipts }) =>
    void Object.assign(receipts[0] ?? {}, { isSigned: false }),
  'a webhook reports the end of an execution once': ({ last }) =>
    void (last.webhook_deliveries = [{ ...MESSAGE, event_type: 'execution.running' }]),

  // Effects outside
  'a call outside carries the key of a step': (run) =>
    void Object.assign(deedOf(run, 'effect').asks, { key: 'k9' }),
  'a step is called for no more often than attempted': (run) => {
    for (const _ of [1, 2]) add(run, structuredClone(deedOf(run, 'effect')));
  },
  'no call belongs to an attempt after the recorded one': (run) =>
    void Object.assign(deedOf(run, 'effect').asks, { attempt: 2 }),
  'a recorded receipt was given under the key of its step': (run) =>
    void (bodyOf(run, 'effect')['receipt'] = 'r9'),

  // Transactions
  'a start and its key are one transaction': ({ last }) =>
    void Object.assign(last.request_keys[0] ?? {}, { written_in: 't9' }),
  'a child begins in the transaction that records it': ({ last }) =>
    void (eventOf(last.events, 'exec_2', 1).written_in = 't11'),
  'a settle and its result are one transaction': ({ last }) =>
    void (eventOf(last.events, 'exec_1', 5).written_in = 't2'),

  // Tenants
  'objects of other tenants are not found': (run) =>
    void (answerOf(run, 'read', 1, 'birch').status = 403),
  'no answer names another tenant': (run) =>
    void (bodyOf(run, 'list')['of'] = 'something of amber~one'),
  'a limit is never exceeded': ({ earlier }) => {
    const [running] = earlier.executions.filter(({ tenant_id: tenant }) => tenant === 'birch');
    earlier.executions.push({ ...(running as typeof running & object), id: 'exec_5' });
  },
  'a list shows no more than the limit': (run) =>
    void (bodyOf(run, 'list')['executions'] = [
      { status: 'running', parent_execution_id: null },
      { status: 'paused', parent_execution_id: null },
    ]),

  // Places
  'a parent lends its place to one child at a time': ({ earlier }) => {
    const running = earlier.executions.find(({ id }) => id === 'exec_4');
    const lent = { parent_execution_id: 'exec_1', state: 'lent' };
    earlier.executions.push({ ...(running as typeof running & object), id: 'exec_5' });
    earlier.child_places = ['exec_4', 'exec_5'].map((id) => ({ ...lent, execution_id: id }));
  },
  'an execution that waits for a place of its tenant has not begun': ({ last }) =>
    void (last.child_places = [
      { execution_id: 'exec_1', parent_execution_id: 'exec_9', state: 'waiting' },
    ]),
  'what waits for its key takes no place of its tenant before': ({ last }) => {
    const place = { execution_id: 'exec_1', parent_execution_id: null, state: 'waiting' };
    Object.assign(last, { child_places: [place], flow_waits: [{ execution_id: 'exec_1' }] });
  },
  'an execution that has ended waits for no place': ({ last }) =>
    void (last.child_places = [
      { execution_id: 'exec_2', parent_execution_id: 'exec_1', state: 'waiting' },
    ]),
  'nothing begins below an execution that has ended': ({ last }) => {
    Object.assign(eventOf(last.events, 'exec_1', 22), { place: 1 });
    Object.assign(childStartIn(last.events) ?? {}, { place: 2 });
  },

  // Rest
  'without faults, every execution ends': ({ last }) => {
    Object.assign(last.executions[3] ?? {}, { status: 'running', last_sequence: 2 });
    last.events.pop();
  },
  'an item whose worker is gone can soon be claimed by another': ({ earlier }) =>
    void (earlier.takenAt = 50_000),

  // Audit
  'a change is one entry of the audit log': ({ last }) => void last.audit_log.pop(),
  'an entry of the audit log belongs to a change': ({ last }) => void last.definitions.pop(),
  'a token is made as often as it was answered': (run) =>
    void Object.assign(deedOf(run, 'mint').asks, { name: 'm2' }),

  // Retention
  'a removed execution is gone from every table': ({ last }) => {
    retire(last, 'exec_1');
    last.recorded_outputs.push({
      execution_id: 'exec_1',
      idempotency_key: 'k',
      work_item_id: 'i',
      event_sequence: 1,
    });
  },
  'an execution that is gone was removed by retention': ({ last }) => {
    retire(last, 'exec_1');
    last.retired_executions = [];
  },
  'the audit log counts every removal': ({ last }) => {
    retire(last, 'exec_1');
    last.audit_log.pop();
  },
  'retention removes only due executions': ({ earlier, last }) => {
    earlier.removal = 'follows';
    last.takenAt = 200 * DAY_MS;
    last.retention_policies = [KEPT];
    retire(last, 'exec_3');
    Object.assign(earlier.executions[2] ?? {}, { completed_at: 199.5 * DAY_MS });
  },
  'retention removes no execution that is needed': ({ earlier, last }) => {
    earlier.removal = 'follows';
    retire(last, 'exec_2');
  },
  'retention removes every due execution': ({ last }) => {
    last.removal = 'over';
    last.takenAt = 200 * DAY_MS;
    last.retention_policies = [KEPT];
    last.sealed = [{ covers_to: last.takenAt }];
    Object.assign(last.executions[0] ?? {}, { completed_at: 1_000 });
  },

  // Secrets
  'a secret appears in no text': (run) =>
    add(run, { ...structuredClone(deedOf(run, 'list')), client: 'a log', tenantId: 's3cr3t' }),
  'a secret appears in no answer': (run) => void (bodyOf(run, 'list')['token'] = 'x s3cr3t'),
};

const RUNS = [
  { make: makeExampleRun, broken: BROKEN },
  { make: () => addFunction(makeExampleRun()), broken: FUNCTION_BROKEN },
  { make: () => addContinuation(makeExampleRun()), broken: CONTINUATION_BROKEN },
  { make: () => addFork(makeExampleRun()), broken: FORKS_BROKEN },
  { make: () => addImports(makeExampleRun()), broken: IMPORTS_BROKEN },
  { make: () => addResults(makeExampleRun()), broken: RESULTS_BROKEN },
  { make: () => addArchives(makeExampleRun()), broken: ARCHIVES_BROKEN },
];

for (const { make, broken: cases } of RUNS) {
  for (const [rule, breakIt] of Object.entries(cases)) {
    test(`it is found when it does not hold that ${rule}`, (t) => {
      const run = make();
      breakIt(run);
      const broken = rulesBroken(run);
      t.true(broken.includes(rule), broken.join('; '));
    });
  }
}

for (const { how, rule, breakIt } of RESULTS_ALSO_BROKEN) {
  test(`it is found when ${how}`, (t) => {
    const run = addResults(makeExampleRun());
    breakIt(run);
    t.deepEqual(rulesBroken(run), [rule]);
  });
}

for (const { how, rule, breakIt } of ALSO_BROKEN) {
  test(`it is found when ${how}`, (t) => {
    const run = addContinuation(makeExampleRun());
    breakIt(run);
    const broken = rulesBroken(run);
    t.true(broken.includes(rule), broken.join('; '));
  });
}

const SET_TOO_LATE = {
  'an event that sets no state': (story: readonly EventOf[]) => story.length,
  'an event after the state': (story: readonly EventOf[]) => story.length + 1,
};

for (const [what, latest] of Object.entries(SET_TOO_LATE)) {
  test(`it is found when a key is said to be set by ${what}`, (t) => {
    const run = makeExampleRun();
    const story = run.last.events.filter(({ execution_id: id }) => id === 'exec_1');
    Object.assign(bodyOf(run, 'read_state'), { set_by: { token: latest(story), a: 6 } });
    t.deepEqual(rulesBroken(run), ['a key has had its value since the event that set it']);
  });
}

test('a cancel that was answered, and began the end, ends the execution as cancelled', (t) => {
  const run = makeExampleRun();
  const { executionId } = deedOf(run, 'cancel').asks as { readonly executionId: string };
  const story = run.last.events.filter(({ execution_id: id }) => id === executionId);
  Object.assign(story.at(-2) ?? {}, ENDING);
  Object.assign(story.at(-1) ?? {}, { kind: 'WorkflowFailed' });
  const row = run.last.executions.find(({ id }) => id === executionId);
  Object.assign(row ?? {}, { status: 'failed' });
  const rule = 'a cancel wins or loses as a whole';
  t.true(rulesBroken(run).includes(rule));
  Object.assign(story.at(-2)?.payload ?? {}, { outcome: 'failed' });
  t.false(rulesBroken(run).includes(rule), 'it was ending already');
});

test('a claim that was answered twice gave the turn of its first answer', (t) => {
  const run = addFunction(makeExampleRun());
  const claim = run.deeds.find(({ asks }) => asks.do === 'claim' && asks.queues[0] === 'function');
  if (claim === undefined) throw new Error('there is no claim');
  Object.assign(claim.asks, { claimId: 'c1' });
  const late = structuredClone(claim);
  Object.assign(itemClaimed({ ...run, deeds: [late] }, 0), { turn: 1 });
  const last = Math.max(...run.deeds.map(({ ended }) => ended ?? 0));
  run.deeds.unshift({ ...late, begun: claim.begun - 0.5, ended: last + 1 });
  t.deepEqual(rulesBroken(run), []);
});

test('a step may be answered as recorded with a cost that its second request left open', (t) => {
  const rule = 'an entry that was answered as recorded is in the journal';
  for (const [recorded, sent, isBroken] of [
    [1.5, null, false],
    [null, null, false],
    [1.5, 1, true],
    [null, 1.5, true],
  ] as const) {
    const run = addFunction(makeExampleRun());
    const record = deedOf(run, 'record').asks as { readonly entries: readonly object[] };
    const [step, ...others] = record.entries;
    const costing = (cost: number | null): readonly object[] => {
      const usage = { input_tokens: 1, output_tokens: 1, cost_usd: cost };
      return [{ ...step, usage }, ...others];
    };
    Object.assign(record, { entries: costing(sent) });
    const told = run.last.events.find(({ kind }) => kind === 'StepRecorded');
    Object.assign(told?.payload ?? {}, { entries: costing(recorded) });
    t.is(rulesBroken(run).includes(rule), isBroken, `${recorded} is recorded, ${sent} was sent`);
  }
});

test('a cancel may take back the pause of an execution that is ending, and of no other', (t) => {
  const run = makeExampleRun();
  const { executionId } = deedOf(run, 'cancel').asks as { readonly executionId: string };
  const story = run.last.events.filter(({ execution_id: id }) => id === executionId);
  Object.assign(story.at(-1) ?? {}, {
    kind: 'ExecutionResumed',
    payload: { scope: 'execution', by: 'token:c' },
  });
  const rule = 'a request caused every pause and resumption';
  t.true(rulesBroken(run).includes(rule));
  Object.assign(story.at(-2) ?? {}, ENDING);
  t.false(rulesBroken(run).includes(rule));
});

test('one commit may start a child and then end its parent', (t) => {
  const run = makeExampleRun();
  const { events } = run.last;
  for (const [place, event] of [
    childStartIn(events),
    eventOf(events, 'exec_1', 22),
    eventOf(events, 'exec_2', 1),
  ].entries()) {
    Object.assign(event ?? {}, { place });
  }
  t.false(rulesBroken(run).includes('nothing begins below an execution that has ended'));
});

test('the turn of a function may use up a budget during a pause, and nothing else may', (t) => {
  const run = makeExampleRun();
  const { events } = run.last;
  Object.assign(eventOf(events, 'exec_1', 13), PAUSED);
  for (const sequence of [14, 15, 16, 17, 18, 19, 20, 21, 22]) {
    Object.assign(eventOf(events, 'exec_1', sequence), { kind: 'StepRecorded' });
  }
  Object.assign(eventOf(events, 'exec_1', 15), { kind: 'BudgetExceeded' });
  Object.assign(eventOf(events, 'exec_1', 16), { kind: 'BudgetExceeded' });
  const rule = 'nothing follows while an execution is paused';
  t.false(rulesBroken(run).includes(rule));
  Object.assign(eventOf(events, 'exec_1', 14), { kind: 'NodeCompleted' });
  t.true(rulesBroken(run).includes(rule));
});

test('a decision that arrives twice may decide two approvals, the second after a list', (t) => {
  const run = makeExampleRun();
  listApproval(run, 'ask');
  const rule = 'a list shows no approval as open whose decision was answered';
  t.true(rulesBroken(run).includes(rule));
  add(run, structuredClone(deedOf(run, 'approve')));
  const { payload } = eventOf(run.last.events, 'exec_1', 9);
  const second = { kind: 'ApprovalReceived', node_id: 'ask', payload: { ...payload, visit: 1 } };
  Object.assign(eventOf(run.last.events, 'exec_1', 14), second);
  t.false(rulesBroken(run).includes(rule));
});

test('an execution that was removed is judged as it was last seen', (t) => {
  const run = makeExampleRun();
  retire(run.last, 'exec_1');
  t.deepEqual(rulesBroken(run), []);
  eventOf(run.earlier.events, 'exec_1', 5).created_at = 999;
  t.true(rulesBroken(run).includes('timestamps of a history never decrease'));
});

test('every rule is seen to fail', (t) => {
  const folder = new URL('checks/', import.meta.url);
  const rules = readdirSync(folder)
    .filter((name) => /^check-.*(?<!\.test)\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/(?:(?:violations|applied|expect)\(\s*|rule:\s*)'([^']+)'/g),
    ])
    .map(([, rule = '']) => rule);
  t.true(rules.length > 50);
  t.deepEqual(
    [...rules, ...Object.values(FUNCTION_RULES)].filter(
      (rule) => !RUNS.some(({ broken }) => rule in broken),
    ),
    [],
  );
});

const ENDING = { kind: 'WorkflowEnding', node_id: null, payload: { outcome: 'cancelled' } };

/** Makes `executionId`, which has ended, the requested retry of `from`. */
function retry(run: ExampleRun, executionId: string, from: string): void {
  Object.assign(eventOf(run.last.events, executionId, 1).payload, {
    retried_from: { execution_id: from },
    carried: { state: { token: 'amber~two' } },
  });
  const deed = asking(run, { do: 'retry', executionId: from, statePatch: null });
  add(run, { ...deed, answer: { status: 201, body: { execution_id: executionId } } });
}

const DAY_MS = 86_400_000;

const KEPT = {
  tenant_id: 'amber',
  workflow_id: '',
  completed_days: 1,
  failed_days: 1,
  cancelled_days: 1,
};

function retire(dump: Mutable<Dump>, executionId: string): void {
  dump.executions = dump.executions.filter(({ id }) => id !== executionId);
  const isOther = (row: { readonly execution_id: string }) => row.execution_id !== executionId;
  dump.events = dump.events.filter(isOther);
  dump.work_items = dump.work_items.filter(isOther);
  dump.recorded_outputs = dump.recorded_outputs.filter(isOther);
  dump.dead_letters = dump.dead_letters.filter(isOther);
  dump.timers = dump.timers.filter(isOther);
  dump.retired_executions = [...(dump.retired_executions ?? []), { execution_id: executionId }];
  dump.audit_log.push({
    tenant_id: 'amber',
    execution_id: null,
    event_type: 'executions_retired',
    actor_id: 'system:scheduler',
    payload: { executions: 1 },
  });
}

function childStartIn(events: readonly Mutable<EventOf>[]) {
  return events.find(({ kind }) => kind === 'ChildWorkflowStarted');
}

function eventOf(events: readonly Mutable<EventOf>[], execution: string, sequence: number) {
  const found = events.find(
    (event) => event.execution_id === execution && event.sequence === sequence,
  );
  if (found === undefined) throw new Error(`${execution} has no event ${sequence}`);
  return found;
}

function deedOf(run: ExampleRun, name: Ask['do'], index = 0, tenantId?: string): Mutable<Deed> {
  const found = run.deeds.filter(
    (deed) => deed.asks.do === name && (tenantId ?? deed.tenantId) === deed.tenantId,
  );
  const deed = found[tenantId === undefined ? index : 0];
  if (deed === undefined) throw new Error(`there is no ${name} number ${index}`);
  return deed;
}

function answerOf(...of: Parameters<typeof deedOf>): Mutable<NonNullable<Deed['answer']>> {
  const { answer } = deedOf(...of);
  if (answer === null) throw new Error('it was not answered');
  return answer;
}

function bodyOf(...of: Parameters<typeof deedOf>): { [name: string]: unknown } {
  return answerOf(...of).body;
}

function eventsRead(run: ExampleRun): object[] {
  return bodyOf(run, 'read_events')['events'] as object[];
}

function itemClaimed(run: ExampleRun, index: number): Record<string, unknown> {
  const [item] = bodyOf(run, 'claim', index)['work_items'] as Record<string, unknown>[];
  return item ?? {};
}

function releaseOf(fence: number): ExampleRun['deeds'][number] {
  return {
    client: 'c',
    tenantId: 'amber',
    asks: { do: 'release', workItemId: 'i1', fence },
    begun: 1_000,
    ended: 1_001,
    answer: { status: 200, body: { released: true } },
  };
}

const ITEM = { workItemId: 'i1' };

const PAUSED = { kind: 'ExecutionPaused', payload: { scope: 'execution' } };

const SCHEDULE: ScheduleOf = {
  tenant_id: 'amber',
  name: 's',
  revision: 0,
  overlap_policy: 'skip',
  next_fire_at: 1_000,
  waiting_fire_at: null,
  starting_fire_at: null,
  started: 0,
  skipped: 0,
  missed: 0,
  failed: 0,
};

const MESSAGE = {
  seq: 1,
  webhook_id: 'h',
  tenant_id: 'amber',
  execution_id: 'exec_1',
  event_type: 'execution.completed',
  status: 'pending',
};

/** A successful request. */
function asking(run: ExampleRun, asks: Ask): Mutable<Deed> {
  return { ...structuredClone(deedOf(run, 'heartbeat')), asks };
}

/** Adds a deed after all others. */
function listApproval(run: ExampleRun, node: string): void {
  const shown = { execution_id: 'exec_1', node_id: node, visit: 0, step: null };
  Object.assign(bodyOf(run, 'list_approvals'), { approvals: [shown] });
}

function add(run: ExampleRun, deed: Mutable<Deed>): void {
  const place = Math.max(...run.deeds.map(({ ended }) => ended ?? 0));
  run.deeds.push({ ...deed, begun: place + 1, ended: place + 2 });
}

function ticket(workItemId: string, executionId: string): Mutable<TicketOf> {
  return {
    work_item_id: workItemId,
    execution_id: executionId,
    tenant_id: 'amber',
    node_id: 'a',
    visit: 0,
    attempt: 0,
    queue: 'python_tool',
  };
}

/** Three calls join the queue of their workers, the third `thirdAfterMs` after the first two. A bucket has two tokens. */
function addPaced({ last, claims }: ExampleRun, thirdAfterMs: number): void {
  const [item] = last.work_items;
  const { work_item_id: id = '', execution_id: executionId = '' } = item ?? {};
  Object.assign(item ?? {}, { queue_name: 'default#0#m.f###5.1000.2#' });
  const begin = eventOf(last.events, executionId, 1).created_at;
  for (const [place, at] of [begin, begin, begin + thirdAfterMs].entries()) {
    const waiting = [{ work_item_id: id, execution_id: executionId, line: 'amber', place }];
    claims.push({ process: 1, at, waiting, taken: [id] });
  }
}
