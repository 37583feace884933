import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { EventOf } from './dump.ts';
import type { ExampleRun } from './example-run.ts';
import { FUNCTION_RULES } from './fold-functions.ts';
import type { Ask, Deed } from './history.ts';

/*
 * A correct history of a durable function, written by hand: the function waits, fails, is retried,
 * fails permanently and is rolled back. A test breaks one thing in it.
 */

const ID = 'exec_9';
const ITEM = 'i9';
const STEP = { identity: 's', kind: 'step', output: { receipt: 'r9' } };
const UNDO = { identity: 'undo', kind: 'on_rollback' };
const UNDONE = { identity: 'rollback/undo', kind: 'rollback', output: null };
const PAID = { identity: 'paid', kind: 'event', output: { token: 'amber~go' } };
const WAIT = { identity: 'paid', kind: 'event', correlation_key: 'go', timeout_ms: 9 };

export function addFunction(run: ExampleRun): ExampleRun {
  const { deeds, earlier, last } = run;
  const events = story();
  for (const [dump, told] of [
    [earlier, 4],
    [last, events.length],
  ] as const) {
    dump.events.push(...structuredClone(events.slice(0, told)));
    dump.executions.push({
      id: ID,
      tenant_id: 'amber',
      workflow_id: 'w',
      parent_execution_id: null,
      status: told === events.length ? 'failed' : 'paused',
      last_sequence: told,
    });
    dump.work_items.push({
      work_item_id: ITEM,
      execution_id: ID,
      tenant_id: 'amber',
      node_id: 'f',
      visit: 0,
      idempotency_key: 'k9',
      retry_policy: { maxAttempts: 2 },
    });
  }
  const asked: readonly (readonly [Ask, JsonObject])[] = asks();
  for (const [one, body] of asked) addDeed(run, one, body);
  return { ...run, deeds, earlier, last };
}

function addDeed({ deeds }: ExampleRun, asks: Ask, body: JsonObject): void {
  const place = Math.max(...deeds.map(({ ended }) => ended ?? 0));
  const [begun, ended] = [place + 1, place + 2];
  const deed: Deed = {
    client: 'c',
    tenantId: 'amber',
    asks,
    begun,
    ended,
    answer: { status: 200, body },
  };
  deeds.push(structuredClone(deed));
}

function asks(): readonly (readonly [Ask, JsonObject])[] {
  const claim = (fence: number, turn: number, attempt: number, journal: readonly JsonObject[]) => {
    const item = { id: ITEM, execution_id: ID, idempotency_key: 'k9', lease_fence: fence };
    const body = { claimed: true, work_items: [{ ...item, turn, attempt, journal }] };
    return [{ do: 'claim', workerId: 'w', queues: ['function'] }, body] as const;
  };
  const at = (fence: number) => ({ workItemId: ITEM, fence }) as const;
  const effect = (fence: number, identity: string): readonly [Ask, JsonObject] => [
    { do: 'step_effect', visitKey: 'k9', fence, identity, key: `k9/${identity}` },
    { receipt: 'r9' },
  ];
  const noted = [STEP, UNDO];
  return [
    [{ do: 'start', key: 'amber~f', workflowId: 'w', token: 'amber~f' }, { execution_id: ID }],
    claim(11, 0, 0, []),
    effect(11, 's'),
    [
      { do: 'record', ...at(11), expectedLength: 0, entries: noted },
      { recorded: true, length: 2 },
    ],
    [
      { do: 'suspend', ...at(11), expectedLength: 2, entries: [], waits: [WAIT] },
      { suspended: true, length: 2 },
    ],
    [{ do: 'event', executionId: ID, correlationKey: 'go', token: 'amber~go' }, { accepted: true }],
    claim(12, 1, 0, [...noted, PAID]),
    [{ do: 'fail', ...at(12) }, { failed: true }],
    claim(13, 2, 1, [...noted, PAID]),
    [{ do: 'fail', ...at(13) }, { failed: true }],
    claim(14, 3, 0, [...noted, PAID]),
    effect(14, 'rollback/undo'),
    [{ do: 'complete_rollback', ...at(14), entries: [UNDONE] }, { completed: true }],
  ];
}

function story(): readonly EventOf[] {
  const v = { visit: 0 };
  const told: readonly (readonly [kind: string, payload: JsonObject])[] = [
    ['WorkflowStarted', { input: { token: 'amber~f' } }],
    [
      'NodeScheduled',
      { ...v, node_kind: 'function', work_item_id: ITEM, idempotency_key: 'k9', output_key: 'f' },
    ],
    ['StepRecorded', { ...v, turn: 0, position: 0, entries: [STEP, UNDO] }],
    ['NodeSuspended', { ...v, turn: 0, work_item_id: ITEM, lease_fence: 11, waits: [WAIT] }],
    ['ExternalEventReceived', { correlation_key: 'go', payload: { token: 'amber~go' } }],
    ['StepRecorded', { ...v, turn: 0, position: 2, entries: [{ ...PAID, event_sequence: 5 }] }],
    ['NodeResumed', { ...v, turn: 1, work_item_id: ITEM }],
    ['NodeFailed', { ...v, attempt: 0, retryable: true, error: 'it broke' }],
    ['RetryScheduled', { ...v, attempt: 1 }],
    ['NodeFailed', { ...v, attempt: 1, retryable: false, error: 'it broke' }],
    [
      'RollbackScheduled',
      { ...v, turn: 3, attempt: 0, work_item_id: ITEM, compensations: ['undo'] },
    ],
    ['StepRecorded', { ...v, turn: 3, position: 3, entries: [UNDONE] }],
    ['NodeFailed', { ...v, attempt: 0, retryable: false, rolled_back: true, error: 'it broke' }],
    ['WorkflowFailed', {}],
  ];
  return told.map(([kind, payload], index) => ({
    execution_id: ID,
    sequence: index + 1,
    kind,
    node_id: kind.startsWith('Workflow') || kind.startsWith('External') ? null : 'f',
    payload,
    actor_id: OF_WORKERS.has(index + 1) ? 'worker:w' : 'system:scheduler',
    created_at: 2_000 + index,
    written_in: `f${index}`,
  }));
}

/** Sequences of the events that a worker caused. */
const OF_WORKERS = new Set([3, 4, 8, 10, 12, 13]);

/** By rule: a function that breaks it. */
export const FUNCTION_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  [FUNCTION_RULES.end]: (run) => {
    change(run, 12, { kind: 'NodeFailed', payload: { ...payloadOf(run, 13), rolled_back: true } });
    change(run, 13, {
      kind: 'StepRecorded',
      payload: { visit: 0, turn: 3, position: 3, entries: [UNDONE] },
    });
  },
  [FUNCTION_RULES.gap]: (run) => set(run, 6, { position: 3 }),
  [FUNCTION_RULES.twice]: (run) => set(run, 6, { entries: [{ ...PAID, identity: 's' }] }),
  [FUNCTION_RULES.turn]: (run) => set(run, 12, { turn: 2 }),
  [FUNCTION_RULES.source]: (run) =>
    set(run, 6, { entries: [{ ...PAID, output: { token: 'of another' }, event_sequence: 5 }] }),
  [FUNCTION_RULES.order]: (run) => set(run, 11, { compensations: ['undo', 'more'] }),
  [FUNCTION_RULES.back]: (run) => change(run, 6, { kind: 'Nothing' }),
  [FUNCTION_RULES.count]: (run) => set(run, 9, { attempt: 2 }),
  [FUNCTION_RULES.clock]: (run) => {
    const purpose = { visit: 0, purpose: 'function_timeout' };
    const payload = { ...purpose, delay_ms: 3, count_suspended: false };
    change(run, 3, { kind: 'TimerStarted', payload });
    change(run, 8, { kind: 'TimerFired', payload: purpose });
  },
  [FUNCTION_RULES.rollback]: (run) => set(run, 12, { entries: [] }),
  [FUNCTION_RULES.after]: (run) => {
    for (const sequence of [11, 12, 13]) change(run, sequence, { kind: 'Nothing' });
  },
  'a suspended function is on no queue and under no lease': ({ earlier }) =>
    void earlier.work_queue.push({
      work_item_id: ITEM,
      execution_id: ID,
      tenant_id: 'amber',
      node_id: 'f',
      visit: 0,
      attempt: 0,
      queue: 'function',
    }),
  'an entry is recorded under the fence of its turn': (run) =>
    void Object.assign(deedOf(run, 'record').asks, { fence: 12 }),
  'a suspension is under the fence of its turn': (run) => set(run, 4, { lease_fence: 12 }),
  'an acknowledged suspension is recorded': (run) => change(run, 4, { kind: 'Nothing' }),
  'an entry that was answered as recorded is in the journal': (run) =>
    void Object.assign(deedOf(run, 'record').asks, { expectedLength: 1 }),
  'a turn of a function is taken under one fence': (run) => {
    const [, second] = run.deeds.filter(isClaim);
    if (second === undefined) throw new Error('there is no second claim');
    const again = structuredClone(second);
    Object.assign(itemIn(again), { lease_fence: 15 });
    addDeed(run, again.asks, again.answer?.body ?? {});
    addDeed(run, { do: 'fail', workItemId: ITEM, fence: 15 }, { failed: true });
  },
  'a turn begins with the journal of the turns before': (run) => {
    const [, second] = run.deeds.filter(isClaim);
    Object.assign(second === undefined ? {} : itemIn(second), { journal: [STEP] });
  },
  'a pinned function runs in a worker of its build': (run) =>
    change(run, 5, {
      kind: 'NodePinned',
      node_id: 'f',
      payload: { visit: 0, build_id: 'green' },
    }),
  'an execution is charged once for what it and its children used': ({ last }) =>
    void (last.execution_usage = [
      { execution_id: ID, input_tokens: 1, output_tokens: 0, cost_usd: 0 },
    ]),
  'no work begins once its budget is used up': (run) => set(run, 3, { entries: [SPENDING, UNDO] }),
  'an answer says that a budget is used up': (run) => {
    set(run, 3, { entries: [SPENDING, UNDO] });
    Object.assign(deedOf(run, 'record').asks, { entries: [SPENDING, UNDO] });
    for (const sequence of [11, 12, 13]) change(run, sequence, { kind: 'Nothing' });
  },
  'a recorded step had its effect once, under its key': (run) =>
    addDeed(run, { ...EFFECT, fence: 11, key: 'another' }, { receipt: 'r9' }),
  'a recorded step is not done again': (run) =>
    addDeed(run, { ...EFFECT, fence: 12, key: 'k9/s' }, { receipt: 'r9' }),
};

/** Uses up the budget. */
const SPENDING = { ...STEP, usage: { input_tokens: 60, output_tokens: 60, cost_usd: null } };

const EFFECT = { do: 'step_effect', visitKey: 'k9', identity: 's' } as const;

function isClaim({ asks }: Pick<Deed, 'asks'>): boolean {
  return asks.do === 'claim' && asks.queues.includes('function');
}

function itemIn({ answer }: Pick<Deed, 'answer'>): object {
  const items = answer?.body['work_items'];
  return (Array.isArray(items) ? items[0] : null) as object;
}

function deedOf({ deeds }: ExampleRun, name: Ask['do']): ExampleRun['deeds'][number] {
  const found = deeds.find(({ asks: { do: what } }) => what === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function change({ last }: ExampleRun, sequence: number, to: Partial<EventOf>): void {
  const found = last.events.find(
    (event) => event.execution_id === ID && event.sequence === sequence,
  );
  Object.assign(found ?? {}, to);
}

function payloadOf({ last }: ExampleRun, sequence: number): JsonObject {
  const found = last.events.find(
    (event) => event.execution_id === ID && event.sequence === sequence,
  );
  return found?.payload ?? {};
}

function set(run: ExampleRun, sequence: number, fields: JsonObject): void {
  change(run, sequence, { payload: { ...payloadOf(run, sequence), ...fields } });
}
