import type { CompleteWorkItem } from '../../src/shared/engine/work/complete-work-item.ts';
import type { FailWorkItem } from '../../src/shared/engine/work/fail-work-item.ts';
import type { ClaimedWork } from '../../src/shared/engine/work/hand-out-items.ts';
import { composeRuntime } from '../../src/runtime/compose.ts';
import { ids as processIds } from '../../src/runtime/ids.ts';
import type { ExecutionId, TenantId } from '../../src/shared/domain/ids.ts';
import { DEFAULT_TENANT } from '../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import type { Reader } from '../../src/shared/engine/caller.ts';
import type { EngineReport } from '../../src/shared/engine/report.ts';
import { createRunners } from '../../src/shared/nodes/create-runners.ts';
import { createKindRegistry, NODE_KINDS } from '../../src/shared/nodes/index.ts';
import type { NodeRunner, NodeRunners } from '../../src/shared/nodes/run.ts';
import type { RunnableKind } from '../../src/shared/nodes/runnable-kind.ts';
import { subgraphKind } from '../../src/shared/nodes/subgraph/kind.ts';
import type { Cpu } from '../../src/shared/ports/cpu.ts';
import { systemTimers, type Timers } from '../../src/shared/engine/scheduling/timers.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { callsOf } from './engine-calls.ts';
import { cleanupKind } from './cleanup-kind.ts';

const ALL_SHARDS = [...Array(64).keys()];

/**
 * A node that runs inside the engine, for tests of the engine's part; the test supplies its runner.
 */
const callKind: RunnableKind<JsonObject, NodeRunner> = {
  type: 'call',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  tool: (fields) => textOf(fields['tool']) ?? 'call',
  model: (fields) => [textOf(fields['model']) ?? []].flat(),
  runner: (given) => given,
  enter: (spec, context) => ({
    do: 'work',
    queue: 'engine',
    input: context.scope.state,
    payload: spec,
  }),
};

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The engine reports this value for a histogram. */
export interface Observation {
  readonly name: Parameters<EngineReport['observe']>[0];
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

export type TestEngine = ReturnType<typeof openTestEngine>;

/** An engine as in a process, but the test turns its loops: nothing happens between two turns. */
export function openTestEngine(params: {
  readonly store: Store;
  readonly run?: NodeRunner['run'];
  /** Runners of additional kinds, by type. */
  readonly runners?: NodeRunners;
  readonly leaseMs?: number;
  readonly descendantsMax?: number;
  readonly cpu?: Cpu;
  readonly timers?: Timers;
  /** The tenant of its executions; `default` if absent. */
  readonly tenantId?: TenantId;
}) {
  const { store, tenantId = DEFAULT_TENANT } = params;
  const counts = new Map<string, number>();
  const observed: Observation[] = [];
  const troubles: unknown[] = [];
  const report: EngineReport = {
    count: (name, by) => void counts.set(name, (counts.get(name) ?? 0) + by),
    observe: (name, value, labels = {}) => void observed.push({ name, value, labels }),
    trouble: (what, error) => void troubles.push(`${what}: ${String(error)}`),
  };
  const run = params.run ?? (async () => ({ ok: true as const, output: {}, statePatch: {} }));
  const { engine: deps, scheduling } = composeRuntime({
    prices: { 'test/small': { input: 1, output: 2 } },
    store,
    cpu: params.cpu ?? NO_POOL,
    timers: params.timers ?? systemTimers,
    settings: {
      leaseMs: params.leaseMs ?? 30_000,
      descendantsMax: params.descendantsMax ?? 20_000,
      inputBytesMax: 4_194_304,
      processId: `test-${processIds.uuid()}`,
      version: '0.0.0',
      host: 'localhost',
    },
    report,
    kinds: createKindRegistry([...NODE_KINDS, callKind, cleanupKind]),
    runners: (ports) =>
      new Map([
        ...createRunners([subgraphKind], ports),
        ...createRunners([callKind, cleanupKind], { run }),
        ...(params.runners ?? []),
      ]),
  });
  const { ids, wake } = deps;
  const engine = callsOf(deps);

  /** Runs one round of every loop; the work that it starts may continue afterwards. */
  async function turn(): Promise<number> {
    const of = { shards: ALL_SHARDS, limit: 100 };
    const rounds = [
      await scheduling.reclaimLeases(of),
      await scheduling.expireQueued(of),
      await scheduling.fireTimers(of),
      await scheduling.admitChildren(),
      await scheduling.admitQuotaItems(),
      await scheduling.sweepWorkflowPauses({ signal: new AbortController().signal }),
      await scheduling.runQueuedNodes(of),
      await scheduling.advanceRunnable(of),
    ];
    // Lets started work progress, also on a store without I/O.
    await new Promise((resolve) => setImmediate(resolve));
    return rounds.reduce((sum, { found, more }) => sum + Math.max(found, more ? 1 : 0), 0);
  }

  /** Runs rounds until one finds nothing and no work is running. */
  async function settle(): Promise<void> {
    for (;;) {
      // Work that ran when the round began may have added work that the round did not see.
      const wasQuiet = scheduling.underWay() === 0;
      const found = await turn();
      if (wasQuiet && found === 0 && scheduling.underWay() === 0) return;
    }
  }

  async function start(ir: JsonObject, input: JsonObject = {}): Promise<ExecutionId> {
    const workflowId = `w-${ids.uuid()}`;
    await engine.registerWorkflow({
      tenantId,
      actorId: 'token:test',
      ir: { workflow_id: workflowId, ...ir },
    });
    const { executionId } = await engine.startExecution({
      tenantId,
      actorId: 'token:test',
      workflowId,
      workflowVersion: null,
      input,
      priority: 5,
      idempotencyKey: null,
    });
    return executionId;
  }

  /** The history as `Kind node`. */
  async function story(executionId: ExecutionId): Promise<string[]> {
    const { events } = await engine.readEvents({
      tenantId,
      executionId,
      after: 0,
      limit: null,
    });
    return events.map(({ kind, nodeId }) => (nodeId === null ? kind : `${kind} ${nodeId}`));
  }

  async function claim(workerId = 'worker-1', maxItems = 1) {
    return engine.claimWork({
      tenantId,
      workerId,
      queues: ['python_tool', 'java_tool'],
      maxItems,
      waitMs: 0,
      signal: new AbortController().signal,
      host: 'localhost',
      version: '0.0.0',
    });
  }

  /** Settles a claimed item as a worker does; `changes` overrides parts of the request. */
  async function complete(
    item: ClaimedWork | undefined,
    changes: Partial<Reader & CompleteWorkItem> = {},
  ): Promise<void> {
    if (item === undefined) throw new Error('nothing was claimed');
    await engine.completeWorkItem({
      ...coordinates(item),
      idempotencyKey: item.record.idempotencyKey,
      output: {},
      statePatch: {},
      durationMs: null,
      genAiModel: null,
      finishReason: null,
      usage: null,
      ...changes,
    });
  }

  async function fail(item: ClaimedWork | undefined, changes: Partial<Reader & FailWorkItem> = {}) {
    if (item === undefined) throw new Error('nothing was claimed');
    return engine.failWorkItem({
      ...coordinates(item),
      error: 'it broke',
      errorClass: 'error',
      usage: null,
      ...changes,
    });
  }

  function coordinates({ record, leaseFence }: ClaimedWork) {
    const { workItemId } = record;
    return { tenantId, workItemId, leaseFence, executionId: null, nodeId: null };
  }

  return {
    store,
    deps,
    engine,
    wake,
    ids,
    report,
    scheduling,
    counts,
    observed,
    troubles,
    turn,
    settle,
    start,
    story,
    claim,
    complete,
    fail,
  };
}

export const TENANT: TenantId = DEFAULT_TENANT;

const NO_POOL: Cpu = {
  validateSchema: () => Promise.resolve([]),
  checkSchema: () => Promise.resolve([]),
  simulate: () => Promise.reject(new Error('nothing is simulated here')),
  readDocument: () => Promise.reject(new Error('no document is read here')),
  decide: () => Promise.reject(new Error('no state of this test is large')),
};
