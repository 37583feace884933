import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';

import { SvcError } from '../../../src/shared/domain/errors.ts';
import { decodeState, encodeState } from '../../../src/shared/domain/execution/state-codec.ts';
import { isTerminal } from '../../../src/shared/domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { foldLoaded } from '../../../src/shared/engine/advance/load-execution.ts';
import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, type TestEngine } from '../../support/engine.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';

/*
 * Executions under approvals, budgets, parking, rate limits and changing policies. Two processes
 * work on them, and the test sometimes replaces one, while leases lapse and timers fire early. In
 * any order of events, each execution ends once and leaves nothing behind, and the usage of models
 * counts once.
 */

const tenantId = 'acme' as TenantId;
const by = { tenantId, actorId: 'token:t' };
const RETRIED = { max_attempts: 3, initial_delay: 0 };
const NAMES = ['a', 'b', 'c', 'd'] as const;
const POLICIES = [{}, { require_approval_for: ['free'] }, { require_approval_for: ['*'] }];
const SHAPES = [
  ['start a', 'a b', 'b c', 'c d'],
  ['start a', 'start b', 'start c', 'start d'],
  ['start a', 'a b', 'a c', 'b d', 'c d'],
];
const BUDGETS = [
  {},
  { token_budget: 30, on_budget_exceeded: 'pause' },
  { token_budget: 30, on_budget_exceeded: 'fail' },
  { cost_budget_usd: 0.6, on_budget_exceeded: 'pause' },
  { cost_budget_usd: 0.6, on_budget_exceeded: 'warn' },
];

for (const [dialect, numRuns] of [
  ['sqlite', 40],
  ['postgres', 10],
] as const) {
  test(`${dialect}: however it goes, an execution comes to one end and leaves nothing behind`, async (t) => {
    const database = await openTestStore(dialect);
    t.teardown(database.close);
    await database.store.tenants.create({ tenantId, name: 'Acme', actorId: 'token:t' });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(999), { minLength: 300, maxLength: 300 }), (numbers) =>
        playThrough(t, database, new Dice(numbers)),
      ),
      { numRuns, endOnFailure: true, includeErrorInReport: true },
    );
  });
}

class Dice {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.#next() % items.length] as Item;
  }

  chance(percent: number): boolean {
    return this.#next() % 100 < percent;
  }

  #next(): number {
    this.#at += 1;
    return this.#numbers[this.#at % this.#numbers.length] ?? 0;
  }
}

async function playThrough(t: ExecutionContext, database: TestStore, dice: Dice): Promise<void> {
  const { store, contents } = database;
  let isCalm = false;
  const run = (call: NodeCall) => outcomeOf(call, dice, isCalm);
  const open = () => openTestEngine({ store, run, tenantId });
  const svc = open();
  const troubles: unknown[] = [];
  let other = open();
  await setTenant(svc, { status: 'active', policy: {} });
  const executionId = await svc.start(definition(dice), { k: 1 });
  for (let step = 0; step < 40; step += 1) {
    await act(database, dice.pick([svc, other]), executionId, dice, isCalm);
    if (dice.chance(5)) {
      await Promise.all([other.turn(), other.scheduling.drain({ deadlineMs: 0 })]);
      troubles.push(...other.troubles);
      other = open();
    }
    const loaded = await store.executions.load(executionId, tenantId);
    const state = loaded && foldLoaded(loaded, null);
    t.deepEqual(state && decodeState(encodeState(state)), state);
    t.true(state?.live.values().every(({ attempt }) => attempt >= 0));
    await checkExplained(t, svc, executionId);
  }
  isCalm = true;
  await svc.engine.resumeExecution({ ...by, executionId }).catch(checkRefused);
  await database.age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
  const of = { tenantId, executionId };
  for (let round = 0; round < 60; round += 1) {
    if (isTerminal((await svc.engine.readExecution(of)).row.status)) break;
    await act(database, dice.pick([svc, other]), executionId, dice, isCalm);
    for (const process of [svc, other]) await process.settle();
    await work(svc, dice, isCalm);
    await sendEvent(svc, executionId, 'e1');
    await sendEvent(svc, executionId, 'e2');
    await decide(svc, executionId, dice, isCalm);
  }
  for (const process of [svc, other]) await process.settle();

  const { state, row } = await svc.engine.readExecution(of);
  t.true(isTerminal(row.status), JSON.stringify(await svc.story(executionId)).slice(0, 60));
  t.deepEqual([...troubles, ...svc.troubles, ...other.troubles], []);
  const tables = await contents();
  for (const table of ['timers', 'work_queue', 'work_leases', 'retry_timers', 'runnable']) {
    t.deepEqual(tables[table], [], table);
  }
  const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
  const used = events
    .map(({ payload }) => ('usage' in payload ? (payload.usage?.input_tokens ?? 0) : 0))
    .reduce((sum, tokens) => sum + tokens, 0);
  t.is(state.usage.inputTokens, used);
  const [charged] = await store.executions.usage(executionId);
  t.is(charged?.inputTokens, used);
}

/** In every state the execution has an explanation, which reports nothing as lost. */
async function checkExplained(
  t: ExecutionContext,
  { engine }: TestEngine,
  executionId: ExecutionId,
): Promise<void> {
  const { status, blockers, ended } = await engine.explainExecution({ tenantId, executionId });
  t.is(blockers.length === 0, isTerminal(status));
  t.is(ended !== null, isTerminal(status));
  const lost = ['history_unreadable', 'not_marked', 'work_missing', 'timer_missing'];
  t.deepEqual(
    blockers.filter(({ code }) => lost.includes(code)),
    [],
  );
}

function definition(dice: Dice): JsonObject {
  const tool = () => dice.pick(['pay', 'free']);
  const call = () => ({ kind: { type: 'call', tool: tool() }, retry_policy: RETRIED });
  const python = () => ({
    kind: { type: 'python_fn', module: tool(), function: 'f' },
    retry_policy: RETRIED,
  });
  const nodes: Record<string, JsonObject> = { start: { kind: 'pass' }, sorry: { kind: 'pass' } };
  for (const name of NAMES) {
    const makers: (() => JsonObject)[] = [
      call,
      call,
      python,
      () => {
        nodes[`${name}_body`] = dice.chance(50) ? call() : python();
        const items = { literal: [1, 2, 3] };
        const on_item_failure = dice.pick(['fail', 'collect']);
        return { kind: { type: 'map', items, node: `${name}_body`, on_item_failure } };
      },
      () => ({ kind: { type: 'human_approval', description: 'ok?' } }),
      () => ({
        kind: { type: 'wait', condition: 'external_event', correlation_key: dice.pick(KEYS) },
      }),
    ];
    nodes[name] = dice.pick(makers)();
  }
  const edges = dice.pick(SHAPES).map((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return { from, to };
  });
  return {
    start_node: 'start',
    nodes,
    edges: [...edges, { from: dice.pick(NAMES), to: 'sorry', on: 'failure' }],
    timeouts: { approval_timeout: 3_600 },
    ...(dice.chance(60) && { policy: { require_approval_for: ['pay*'] } }),
    ...dice.pick(BUDGETS),
  };
}

const KEYS = ['e1', 'e2'] as const;

async function outcomeOf(call: NodeCall, dice: Dice, isCalm: boolean): Promise<NodeOutcome> {
  const usage = { inputTokens: 20, outputTokens: 1, costUsd: dice.pick([null, 0.25]) };
  if (dice.chance(30)) {
    try {
      await call.record({ name: 'x', data: { n: call.attempt }, kept: dice.chance(70) });
    } catch {
      return { ok: false, error: 'lost', errorClass: 'error' };
    }
  }
  const done: NodeOutcome = { ok: true, output: {}, statePatch: {}, usage };
  if (isCalm || dice.chance(40)) return done;
  const failed = { ok: false, error: 'no', errorClass: 'error', usage } as const;
  const parked = { ok: 'parked', usage } as const;
  return dice.pick<NodeOutcome>([
    failed,
    { ...failed, final: true },
    { ...failed, retryAfterMs: 0 },
    call.resumedWith.length > 2 ? done : { ...parked, until: { event: dice.pick(KEYS) } },
    { ...parked, until: { approval: { description: 'd', shown: { n: dice.pick([1, 2]) } } } },
  ]);
}

async function act(
  { age }: TestStore,
  svc: TestEngine,
  executionId: ExecutionId,
  dice: Dice,
  isCalm: boolean,
): Promise<void> {
  const usual = [
    () => svc.settle(),
    () => svc.turn(),
    () => decide(svc, executionId, dice, isCalm),
    () => sendEvent(svc, executionId, dice.pick(KEYS)),
    () => work(svc, dice, isCalm),
    async () => {
      await svc.engine.resumeExecution({ ...by, executionId }).catch(checkRefused);
    },
  ];
  const seldom = [
    () => age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 }),
    () => age({ table: 'timers', columns: ['due_at'], byMs: 7_200_000 }),
    () => setTenant(svc, { policy: dice.pick(POLICIES) }),
    async () => {
      // An ended execution answers with that.
      await svc.engine.pauseExecution({ ...by, executionId, reason: null }).catch(checkRefused);
    },
    async () => {
      await setTenant(svc, { status: 'suspended' });
      await svc.turn();
      await setTenant(svc, { status: 'active' });
    },
    async () => {
      const { row } = await svc.engine.readExecution({ tenantId, executionId });
      if (!isTerminal(row.status) && dice.chance(20)) {
        // It may have ended since.
        await svc.engine.cancelExecution({ ...by, executionId }).catch(checkRefused);
      }
    },
  ];
  await dice.pick(!isCalm && dice.chance(12) ? seldom : usual)();
}

async function decide(
  { engine }: TestEngine,
  executionId: ExecutionId,
  dice: Dice,
  isCalm: boolean,
): Promise<void> {
  const { pending } = await engine.listApprovals({ tenantId, executionId });
  if (pending.length === 0) return;
  const { nodeId, shownHash } = dice.pick(pending);
  await engine.decideApproval({
    ...by,
    executionId,
    nodeId,
    shownHash,
    decision: !isCalm && dice.chance(10) ? 'rejected' : 'approved',
    userId: 'ann',
    comment: null,
    statePatch: dice.chance(30) ? { patched: nodeId } : null,
  });
}

async function sendEvent(
  { engine }: TestEngine,
  executionId: ExecutionId,
  correlationKey: string,
): Promise<void> {
  await engine.deliverExternalEvent({ ...by, executionId, correlationKey, payload: 1 });
}

async function work(svc: TestEngine, dice: Dice, isCalm: boolean): Promise<void> {
  const [item] = await svc.claim();
  // A worker that vanishes.
  if (item === undefined || (!isCalm && dice.chance(10))) return;
  const { workItemId, idempotencyKey } = item.record;
  const { leaseFence } = item;
  const of = { tenantId, workItemId, leaseFence, executionId: null, nodeId: null };
  const usage = { inputTokens: 20, outputTokens: 0, costUsd: 0.25 };
  const settled =
    !isCalm && dice.chance(30)
      ? svc.engine.failWorkItem({ ...of, error: 'bad', errorClass: 'error', usage })
      : svc.engine.completeWorkItem({
          ...of,
          idempotencyKey,
          output: { done: true },
          statePatch: {},
          durationMs: null,
          genAiModel: null,
          finishReason: null,
          usage,
        });
  // Another action may have ended the execution meanwhile.
  await settled.catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.status !== 409) throw error;
  });
}

function checkRefused(error: unknown): void {
  if (!(error instanceof SvcError) || error.status !== 400) throw error;
}

async function setTenant(
  { engine }: TestEngine,
  changes: Partial<Parameters<TestEngine['engine']['updateTenant']>[0]['changes']>,
): Promise<void> {
  const none = { name: null, status: null, policy: null, limits: null };
  await engine.updateTenant({ ...by, changes: { ...none, ...changes } });
}
