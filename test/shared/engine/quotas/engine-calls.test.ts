import test from 'ava';
import type { ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeOutcome, NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, type TestEngine, TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';

/*
 * Quotas of calls that the engine makes itself, of kinds `tool`, `mcp_tool` and `model`. Two processes
 * run the nodes, and the test counts the calls that are under way in both.
 */

const CALLER = { tenantId: TENANT, actorId: 'token:test' };
const PER_DAY = { limit: 2, per: '1d' };
const SHOP = { kind: 'http', reference: 'https://shop.example/charges' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: processes have no more calls of a tool under way than its limit`, async (t) => {
    const { calls, processes, start } = await open(t, dialect);
    const quota = { concurrency: { limit: 3 } };
    const started = [
      ...(await start(10, charging(quota))),
      ...(await start(10, { ...charging(quota), version: '2' })),
    ];
    await settle(processes);
    await end(processes, started, 'completed');
    t.is(calls.begun, 20);
    t.is(calls.most, 3);
  });

  test(`${dialect}: each key has its own places`, async (t) => {
    const { calls, processes, start } = await open(t, dialect, { holds: true });
    const quota = { concurrency: { key: 'input.customer', limit: 1 } };
    await start(3, charging(quota), { customer: 'a/b#c~d' });
    await start(3, charging(quota), { customer: 7 });
    await turn(processes);
    t.is(calls.begun, 2);
    calls.release();
    await settle(processes);
    t.is(calls.begun, 6);
  });

  test(`${dialect}: tools of an MCP server share the limit with nodes that name the server`, async (t) => {
    const { calls, processes, start } = await open(t, dialect, { holds: true });
    const concurrency = { limit: 1 };
    await start(2, {
      tools: { find: { kind: 'mcp', reference: 'search/echo', concurrency } },
      nodes: { call: { kind: { type: 'tool', tool_ref: 'find' } } },
    });
    const kind = { type: 'mcp_tool', server: 'search', tool: 'echo', concurrency };
    await start(2, { nodes: { call: { kind } } });
    await turn(processes);
    t.is(calls.begun, 1);
    calls.release();
    await settle(processes);
    t.is(calls.begun, 4);
    t.is(calls.most, 1);
  });

  test(`${dialect}: a tool of Python workers shares the limit with nodes that name its function`, async (t) => {
    const { processes, start } = await open(t, dialect);
    const concurrency = { limit: 3 };
    await start(2, {
      tools: { pay: { kind: 'python', reference: 'shop:pay', concurrency } },
      nodes: { call: { kind: { type: 'tool', tool_ref: 'pay' } } },
    });
    const kind = { type: 'python_fn', module: 'shop', function: 'pay', concurrency };
    await start(2, { nodes: { call: { kind } } });
    await settle(processes);
    t.is((await processes[0].claim('worker-1', 10)).length, 3);
  });

  test(`${dialect}: nodes share the limit of a model, and each may have its own`, async (t) => {
    const { calls, processes, start } = await open(t, dialect, { holds: true });
    const fast = { provider: 'openai', model: 'small', concurrency: { limit: 2 } };
    const prompt = 'Why?';
    const asking = (kind: JsonObject) => ({
      models: { fast },
      nodes: { call: { kind: { type: 'model', prompt, ...kind } } },
    });
    await start(3, asking({ model_ref: 'fast' }));
    await start(3, asking({ model_ref: 'openai/small', concurrency: { limit: 3 } }));
    await start(1, asking({ model_ref: 'fast', concurrency: { limit: 1 } }));
    await turn(processes);
    t.is(calls.begun, 3);
    calls.release();
    await settle(processes);
    t.is(calls.begun, 7);
    t.is(calls.most, 3);
  });

  test(`${dialect}: a rate lets no more calls begin than its burst`, async (t) => {
    const { calls, processes, start } = await open(t, dialect);
    await start(5, charging({ rate: PER_DAY }));
    await settle(processes);
    t.is(calls.begun, 2);
  });

  test(`${dialect}: a failed attempt frees its place and takes another token`, async (t) => {
    const { calls, processes, start } = await open(t, dialect);
    calls.fails = 1;
    const quota = { concurrency: { limit: 1 }, rate: { ...PER_DAY, limit: 3 } };
    const started = await start(3, charging(quota));
    await eventually(async () => {
      await settle(processes);
      const codes = (await explain(processes, started)).map((blocker) => blocker?.code ?? 'none');
      const found = codes.toSorted().join();
      if (found !== 'none,none,waiting_for_quota') throw new Error(found);
    });
    t.is(calls.begun, 3);
    t.is(calls.most, 1);
  });

  test(`${dialect}: the place of a process that is lost is free when its lease lapses`, async (t) => {
    const { calls, processes, start } = await open(t, dialect, { leaseMs: 3_000 });
    calls.losesFirst = true;
    const started = await start(2, charging({ concurrency: { limit: 1 } }));
    await eventually(async () => {
      await turn(processes);
      await end(processes, started, 'completed');
    });
    t.true(calls.begun >= 3);
  });

  test(`${dialect}: a call that is paused while it waits waits again`, async (t) => {
    const { calls, processes, start } = await open(t, dialect, { holds: true });
    const [, second] = await start(2, charging({ concurrency: { limit: 1 } }));
    await turn(processes);
    if (second === undefined) return t.fail('nothing was started');
    const about = { ...CALLER, executionId: second, reason: null };
    await processes[0].engine.pauseExecution(about);
    await turn(processes);
    await processes[0].engine.resumeExecution(about);
    await turn(processes);
    t.is(calls.begun, 1);
    calls.release();
    await settle(processes);
    t.is(calls.begun, 2);
  });

  test(`${dialect}: explain names the quota, and the engine's queue does not count the call`, async (t) => {
    const { calls, processes, start, store } = await open(t, dialect, { holds: true });
    const quota = { concurrency: { key: 'input.customer', limit: 1 } };
    const started = await start(3, charging(quota), { customer: 'acme' });
    await turn(processes);
    const waiting = await explain(processes, started);
    const last = waiting.find((one) => one?.details['position'] === 2);
    t.like(last, { code: 'waiting_for_quota', details: { tool: 'charge', queue: 'engine' } });
    t.regex(
      last?.message ?? '',
      /number 2 for a place: at most 1 call of charge with key "acme" at a time$/,
    );
    const reading = await store.diagnosis.clusterReading({ rows: 100, groups: 10 });
    t.is(reading.waitingForQuota, 2);
    t.like(
      reading.queues.find(({ queue }) => queue === 'engine'),
      { waiting: 0, oldestMs: null, leased: 1 },
    );
    calls.release();
    await settle(processes);
  });

  test(`${dialect}: a key that is no text fails its node`, async (t) => {
    const { calls, processes, start } = await open(t, dialect);
    const started = await start(1, charging({ concurrency: { key: 'input.none', limit: 1 } }));
    await settle(processes);
    await end(processes, started, 'failed');
    t.is(calls.begun, 0);
  });
}

/** The call follows a node of the engine, so the commit that schedules it could lease it at once. */
function charging(quota: JsonObject): JsonObject {
  const retry_policy = { max_attempts: 50, initial_delay_ms: 1, jitter: false };
  return {
    tools: { charge: { ...SHOP, ...quota } },
    start_node: 'before',
    nodes: {
      before: { kind: { type: 'call' } },
      call: { kind: { type: 'tool', tool_ref: 'charge' }, retry_policy },
    },
    edges: [{ from: 'before', to: 'call' }],
  };
}

type Processes = readonly [TestEngine, TestEngine];

async function open(
  t: ExecutionContext,
  dialect: 'sqlite' | 'postgres',
  options: { readonly holds?: boolean; readonly leaseMs?: number } = {},
) {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  const calls = new Calls(options.holds ?? false);
  const runners = new Map(['tool', 'mcp_tool', 'model'].map((kind) => [kind, calls.runner]));
  const { leaseMs } = options;
  const openOne = () => openTestEngine({ store, runners, ...(leaseMs && { leaseMs }) });
  const processes: Processes = [openOne(), openOne()];
  const start = async (count: number, ir: JsonObject, input: JsonObject = {}) => {
    const started: ExecutionId[] = [];
    const whole = { start_node: 'call', ...ir };
    for (let n = 0; n < count; n += 1) started.push(await processes[0].start(whole, input));
    return started;
  };
  return { store, calls, processes, start };
}

/** Counts the calls in all processes. */
class Calls {
  begun = 0;
  most = 0;
  /** The first calls fail. */
  fails = 0;
  /** The outcome of the first call does not come. */
  losesFirst = false;
  readonly runner: NodeRunner = { run: () => this.#call() };
  readonly #lost = Promise.withResolvers<NodeOutcome>();
  readonly #released = Promise.withResolvers<void>();
  #underWay = 0;

  constructor(holds: boolean) {
    if (!holds) this.release();
  }

  release(): void {
    this.#released.resolve();
  }

  async #call(): Promise<NodeOutcome> {
    this.begun += 1;
    this.#underWay += 1;
    this.most = Math.max(this.most, this.#underWay);
    const number = this.begun;
    await this.#released.promise;
    for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#underWay -= 1;
    if (this.losesFirst && number === 1) return this.#lost.promise;
    return number <= this.fails
      ? { ok: false, error: 'it broke', errorClass: 'error' }
      : { ok: true, output: {}, statePatch: {} };
  }
}

/** A few rounds of both processes, while calls may be under way. */
async function turn(processes: Processes): Promise<void> {
  for (let n = 0; n < 5; n += 1) await Promise.all(processes.map((one) => one.turn()));
}

async function settle(processes: Processes): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    const found = await Promise.all(processes.map((one) => one.turn()));
    const isBusy = processes.some(({ scheduling }) => scheduling.underWay() > 0);
    if (isBusy || found.some((count) => count > 0)) quiet = -1;
  }
}

function explain([{ engine }]: Processes, started: readonly ExecutionId[]) {
  return Promise.all(
    started.map(async (executionId) => {
      const { blockers } = await engine.explainExecution({ ...CALLER, executionId });
      return blockers[0];
    }),
  );
}

async function statusOf({ engine }: TestEngine, executionId: ExecutionId | undefined) {
  if (executionId === undefined) throw new Error('nothing was started');
  return (await engine.readExecution({ ...CALLER, executionId })).row.status;
}

async function end([one]: Processes, started: readonly ExecutionId[], status: string) {
  for (const id of started) {
    const found = await statusOf(one, id);
    if (found !== status) throw new Error(`${id} is ${found}`);
  }
}
