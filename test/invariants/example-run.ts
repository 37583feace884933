import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { SeenWait } from './checks/check-results.ts';
import type { Archiving } from './checks/check-archives.ts';
import type { SeenEngineClaim } from './checks/check-tenant-turns.ts';
import type { SeenClaim } from './checks/check-turns.ts';
import type { Receipt } from './checks/check-webhooks.ts';
import type { Dump, EventOf } from './dump.ts';
import type { Answer, Ask, Deed } from './history.ts';

/** The same type with mutable fields and mutable rows in its tables. */
export type Mutable<Of> = {
  -readonly [Field in keyof Of]: Of[Field] extends readonly (infer Row extends object)[]
    ? { -readonly [Column in keyof Row]: Row[Column] }[]
    : Of[Field];
};

/** A correct run, written by hand, with one of everything. A test breaks one thing in it. */
export interface ExampleRun {
  readonly deeds: Mutable<Deed>[];
  /** A moment when one execution is live, and a moment after all executions have ended. */
  readonly earlier: Mutable<Dump>;
  readonly last: Mutable<Dump>;
  /** Messages at a receiver of webhooks. */
  readonly receipts: Mutable<Receipt>[];
  /** Claims of items with keys of fairness. */
  readonly claims: SeenClaim[];
  /** Claims of schedulers. */
  readonly engineClaims: SeenEngineClaim[];
  /** Requests for results. */
  readonly waits: SeenWait[];
  /** Absent: nothing is archived. */
  archiving?: Archiving;
}

export const LIMITS = { birch: 1 };
/** No execution of this workflow uses anything. */
export const BUDGETS = { w: { tokens: 100, action: 'fail' } } as const;
export const WELL_SINCE = 1_000;

export function makeExampleRun(): ExampleRun {
  const last = lastDump();
  const receipts = [{ seq: 2, status: 200, isSigned: true }];
  const seen = { claims: [], engineClaims: [], waits: [] };
  return { deeds: deedsOf(), earlier: earlierDump(last), last, receipts, ...seen };
}

const PAID = { token: 'amber~paid' };
const OUTPUT = { token: 'fence 2', receipt: 'r1' };
const LATE = Date.UTC(2030, 0, 1);

function deedsOf(): Mutable<Deed>[] {
  const deeds: Mutable<Deed>[] = [];
  let place = 0;
  const add = (asks: Ask, answer: Answer | null, tenantId = 'amber'): void => {
    const [begun, ended] = [(place += 1), (place += 1)];
    const deed: Deed = {
      client: 'c',
      tenantId,
      asks,
      begun,
      ended: answer === null ? null : ended,
      answer,
    };
    deeds.push(deed);
  };
  const ok = (body: JsonObject): Answer => ({ status: 200, body });
  const start = (token: string, executionId: string, tenantId?: string): void => {
    const input = { token };
    const asks: Ask = { do: 'start', key: token, workflowId: 'w', token, input };
    add(asks, { status: 201, body: { execution_id: executionId } }, tenantId);
  };
  const claim = (item: JsonObject): void =>
    add(
      { do: 'claim', workerId: 'w', queues: ['python_tool'] },
      ok({ claimed: true, work_items: [item] }),
    );
  const read = (status: string, steps: number, state: JsonObject): void =>
    add(
      { do: 'read', executionId: 'exec_1' },
      ok({ status, steps_executed: steps, state: { token: 'amber~one', ...state } }),
    );

  start('amber~one', 'exec_1');
  start('amber~two', 'exec_3');
  start('birch~one', 'exec_4', 'birch');
  const first = { id: 'i1', execution_id: 'exec_1', idempotency_key: 'k1' };
  claim({ ...first, attempt: 0, lease_fence: 1 });
  add({ do: 'fail', workItemId: 'i1', fence: 1, token: 'broken under i1:1' }, ok({ failed: true }));
  claim({ ...first, attempt: 1, lease_fence: 2 });
  add(
    { do: 'heartbeat', workItemId: 'i1', fence: 2 },
    ok({ renewed: true, lease_expires_at: new Date(LATE).toISOString() }),
  );
  read('running', 0, {});
  add({ do: 'effect', key: 'k1', attempt: 1 }, ok({ receipt: 'r1' }));
  const complete: Ask = { do: 'complete', workItemId: 'i1', fence: 2, key: 'k1', output: OUTPUT };
  add(complete, ok({ completed: true }));
  add(complete, { status: 409, body: { completed: false } });
  const decide = (token: string, decision: 'approved' | 'rejected', accepted: boolean): void =>
    add({ do: 'approve', executionId: 'exec_1', decision, token }, ok({ accepted }));
  decide('amber~yes', 'approved', true);
  decide('amber~no', 'rejected', false);
  add(
    { do: 'event', executionId: 'exec_1', correlationKey: 'paid', token: 'amber~paid' },
    ok({ accepted: true }),
  );
  claim({
    id: 'i3',
    execution_id: 'exec_3',
    idempotency_key: 'k3',
    attempt: 0,
    lease_fence: 3,
  });
  add({ do: 'cancel', executionId: 'exec_3' }, ok({ status: 'cancelled' }));
  add(
    { do: 'complete', workItemId: 'i3', fence: 3, key: 'k3', output: { token: 'fence 3' } },
    { status: 409, body: {} },
  );
  add({ do: 'read', executionId: 'exec_1' }, { status: 404, body: {} }, 'birch');
  add({ do: 'list' }, ok({ executions: [{ status: 'running' }] }), 'birch');
  add({ do: 'mint', name: 'm1' }, { status: 201, body: {} });
  read('completed', 5, { a: OUTPUT });
  const events = storyOf().map(({ sequence, kind, node_id, payload }) => ({
    sequence,
    kind,
    node_id,
    payload,
  }));
  add({ do: 'read_events', executionId: 'exec_1' }, ok({ events }));
  add({ do: 'follow', executionId: 'exec_1' }, ok({ events: structuredClone(events), streams: 2 }));
  add({ do: 'list_approvals' }, ok({ approvals: [] }));
  add(
    { do: 'read_state', executionId: 'exec_1', sequence: storyOf().length },
    ok({ state: { token: 'amber~one', a: OUTPUT }, set_by: { token: 1, a: 6 } }),
  );
  return deeds;
}

/** The history of the execution that contains one of everything. */
function storyOf(): EventOf[] {
  const v = { visit: 0 };
  return eventsOf('exec_1', [
    ['t1', 'WorkflowStarted', null, { input: { token: 'amber~one' } }],
    [
      't1',
      'NodeScheduled',
      'a',
      { ...v, work_item_id: 'i1', idempotency_key: 'k1', output_key: 'a' },
    ],
    ['t2', 'NodeFailed', 'a', { ...v, attempt: 0, error: 'broken under i1:1', retryable: true }],
    ['t2', 'RetryScheduled', 'a', { ...v, attempt: 1 }],
    ['t3', 'ToolCallCompleted', 'a', { ...v, work_item_id: 'i1', attempt: 1 }],
    ['t3', 'NodeCompleted', 'a', { ...v, output: OUTPUT }],
    ['t4', 'NodeScheduled', 'ask', v],
    ['t4', 'ApprovalRequested', 'ask', v],
    ['t5', 'ApprovalReceived', 'ask', { ...v, decision: 'approved', comment: 'amber~yes' }],
    ['t6', 'NodeCompleted', 'ask', { ...v, output: {} }],
    ['t6', 'NodeScheduled', 'rest', v],
    ['t6', 'TimerStarted', 'rest', v],
    ['t7', 'TimerFired', 'rest', v],
    ['t7', 'NodeCompleted', 'rest', { ...v, output: null }],
    ['t8', 'ExternalEventReceived', null, { correlation_key: 'paid', payload: PAID }],
    ['t9', 'NodeScheduled', 'paid', v],
    ['t9', 'NodeCompleted', 'paid', { ...v, output: PAID, event_sequence: 15 }],
    ['t10', 'NodeScheduled', 'child', v],
    ['t10', 'ChildWorkflowStarted', 'child', { ...v, child_execution_id: 'exec_2' }],
    ['t12', 'ChildWorkflowCompleted', 'child', { ...v, child_execution_id: 'exec_2' }],
    ['t12', 'NodeCompleted', 'child', { ...v, output: {} }],
    ['t12', 'WorkflowCompleted', null, {}],
  ]);
}

function lastDump(): Mutable<Dump> {
  const execution = (id: string, status: string, sequence: number, tenant = 'amber') => ({
    id,
    tenant_id: tenant,
    workflow_id: 'w',
    parent_execution_id: id === 'exec_2' ? 'exec_1' : null,
    status,
    last_sequence: sequence,
  });
  const item = (id: string, executionId: string, key: string, tenant = 'amber') => ({
    work_item_id: id,
    execution_id: executionId,
    tenant_id: tenant,
    node_id: 'a',
    visit: 0,
    idempotency_key: key,
    retry_policy: { maxAttempts: 3 },
  });
  const entry = (type: string, payload: JsonObject) => ({
    tenant_id: 'amber',
    execution_id: null,
    event_type: type,
    actor_id: 'token:c',
    payload,
  });
  const registered = { workflow_id: 'w', version: '1', revision: 1 };
  const dump: Dump = {
    takenAt: 100_000,
    executions: [
      execution('exec_1', 'completed', 22),
      execution('exec_2', 'completed', 2),
      execution('exec_3', 'cancelled', 3),
      execution('exec_4', 'failed', 3, 'birch'),
    ],
    events: [
      ...storyOf(),
      ...eventsOf('exec_2', [
        ['t10', 'WorkflowStarted', null, { input: {}, parent_execution_id: 'exec_1' }],
        ['t11', 'WorkflowCompleted', null, {}],
      ]),
      ...eventsOf('exec_3', [
        ['u1', 'WorkflowStarted', null, { input: { token: 'amber~two' } }],
        ['u1', 'NodeScheduled', 'a', { visit: 0, work_item_id: 'i3', idempotency_key: 'k3' }],
        ['u2', 'WorkflowCancelled', null, {}],
      ]),
      ...eventsOf('exec_4', [
        ['v1', 'WorkflowStarted', null, { input: { token: 'birch~one' } }],
        ['v1', 'NodeScheduled', 'a', { visit: 0, work_item_id: 'i4', idempotency_key: 'k4' }],
        ['v2', 'WorkflowFailed', null, {}],
      ]),
    ],
    work_items: [
      item('i1', 'exec_1', 'k1'),
      item('i3', 'exec_3', 'k3'),
      item('i4', 'exec_4', 'k4', 'birch'),
    ],
    work_queue: [],
    work_leases: [],
    retry_timers: [],
    timers: [],
    runnable: [],
    recorded_outputs: [
      {
        execution_id: 'exec_1',
        idempotency_key: 'k1',
        work_item_id: 'i1',
        event_sequence: 6,
        written_in: 't3',
      },
    ],
    dead_letters: [],
    request_keys: [
      { tenant_id: 'amber', key: 'amber~one', execution_id: 'exec_1', written_in: 't1' },
    ],
    tenants: [{ id: 'default' }, { id: 'amber' }],
    tokens: [{ token_id: 'tok', tenant_id: 'amber', name: 'm1' }],
    definitions: [{ tenant_id: 'amber', ...registered }],
    audit_log: [
      entry('tenant_created', {}),
      entry('token_created', { token_id: 'tok' }),
      entry('workflow_registered', registered),
    ],
  };
  return structuredClone(dump) as Mutable<Dump>;
}

/** The last dump without the end of one execution, whose item is leased. */
function earlierDump(last: Mutable<Dump>): Mutable<Dump> {
  const dump = structuredClone(last);
  const execution = dump.executions.find(({ id }) => id === 'exec_4');
  if (execution !== undefined) Object.assign(execution, { status: 'running', last_sequence: 2 });
  dump.takenAt = 2_000;
  dump.events = dump.events.filter(({ written_in: writer }) => writer !== 'v2');
  dump.work_leases.push({
    work_item_id: 'i4',
    execution_id: 'exec_4',
    tenant_id: 'birch',
    node_id: 'a',
    visit: 0,
    attempt: 0,
    queue: 'python_tool',
    lease_fence: 4,
    expires_at: 2_500,
  });
  return dump;
}

type Told = readonly [writer: string, kind: string, nodeId: string | null, payload: JsonObject];

function eventsOf(executionId: string, told: readonly Told[]): EventOf[] {
  return told.map(([writer, kind, nodeId, payload], index) => ({
    execution_id: executionId,
    sequence: index + 1,
    kind,
    node_id: nodeId,
    payload,
    actor_id: 'system:scheduler',
    created_at: 1_000 + index,
    written_in: writer,
  }));
}
