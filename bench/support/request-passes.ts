import type { JsonObject } from '../../src/shared/domain/json.ts';
import { inLanes, times } from './lanes.ts';
import { openLeanHttp, type LeanHttp, type LeanRequest } from './lean-http.ts';
import { API_KEY } from './runtime-process.ts';
import type { ClaimedItem } from './worker-client.ts';

/*
 * The routes that a fleet of workers and its clients call all day, one pass over each: executions are
 * started, their items claimed, renewed, completed and reported, functions record steps, and the
 * executions are read.
 */

export const ROUTES = [
  'start',
  'claim',
  'heartbeat',
  'complete',
  'report',
  'steps',
  'read',
] as const;

export type Route = (typeof ROUTES)[number];

/** Measures what happens during the requests of one route. */
export type MeasureRoute = (
  route: Route,
  count: number,
  during: () => Promise<void>,
) => Promise<void>;

const LANES = 16;
const STEPS_EACH = 25;
const WORKER_ID = 'bench-worker-1';
const TOOL_WORKFLOW = {
  workflow_id: 'requests',
  nodes: { only: { kind: { type: 'python_fn', module: 'bench', function: 'noop' } } },
  edges: [],
};
const FUNCTION_WORKFLOW = {
  workflow_id: 'functions',
  nodes: { only: { kind: { type: 'function', name: 'bench-function' } } },
  edges: [],
};
const INPUT = { order_id: 'order-4711', amount: 1999, currency: 'EUR', lines: ['a', 'b'] };
const RESULT = { output: { ok: true, total: 1999 }, state_patch: { total: 1999 } };
const HEAD =
  `authorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\n` +
  'accept: application/json\r\nuser-agent: bench\r\n';

export interface RequestPasses {
  /** One pass over all routes, this many requests of each. */
  run(count: number, measure: MeasureRoute): Promise<void>;
  close(): void;
}

export async function openRequestPasses(url: string): Promise<RequestPasses> {
  const http = openLeanHttp(url, LANES);
  for (const workflow of [TOOL_WORKFLOW, FUNCTION_WORKFLOW]) {
    await call(http, post('/workflows', { ir: workflow }));
  }
  return {
    async run(count, measure) {
      const executions: string[] = [];
      await measure('start', count, () =>
        forEach(count, async () => {
          const answer = await call(http, start(TOOL_WORKFLOW.workflow_id));
          executions.push(answer['execution_id'] as string);
        }),
      );
      const items: ClaimedItem[] = [];
      await measure('claim', count, () =>
        forEach(count, async () => void items.push(await claim(http))),
      );
      const [first, second] = [items.slice(0, count / 2), items.slice(count / 2)];
      await measure('heartbeat', count, () => forAll(items, (item) => call(http, heartbeat(item))));
      await measure('complete', first.length, () =>
        forAll(first, (item) =>
          call(http, post(`/work-items/${item.id}/complete`, completion(item))),
        ),
      );
      await measure('report', second.length, () =>
        forAll(second, (item) => call(http, report(item))),
      );
      await recordSteps(http, count, measure);
      await measure('read', count, () =>
        forAll(executions, (id) => call(http, { ...post(`/executions/${id}`), method: 'GET' })),
      );
    },
    close: () => http.close(),
  };
}

/** The requests of a pass, to a server that does nothing. */
export async function callBareServer(
  url: string,
  count: number,
  measure: MeasureRoute,
): Promise<void> {
  const http = openLeanHttp(url, LANES);
  const item = {
    id: '01900000-0000-7000-8000-000000000000',
    execution_id: `exec_${'0'.repeat(32)}`,
    node_id: 'only',
    lease_fence: 4711,
    idempotency_key: '0'.repeat(64),
  };
  const sent: Readonly<Record<Route, LeanRequest>> = {
    start: start(TOOL_WORKFLOW.workflow_id),
    claim: post('/work-items/claim', CLAIM),
    heartbeat: heartbeat(item),
    complete: post(`/work-items/${item.id}/complete`, completion(item)),
    report: report(item),
    steps: steps(item, 0),
    read: { ...post(`/executions/${item.execution_id}`), method: 'GET' },
  };
  for (const route of ROUTES) {
    await measure(route, count, () =>
      forEach(count, async () => void (await call(http, sent[route]))),
    );
  }
  http.close();
}

async function recordSteps(http: LeanHttp, count: number, measure: MeasureRoute): Promise<void> {
  const functions = Math.max(1, Math.ceil(count / STEPS_EACH));
  const items: ClaimedItem[] = [];
  await forEach(functions, async () => {
    await call(http, start(FUNCTION_WORKFLOW.workflow_id));
    items.push(await claim(http));
  });
  await measure('steps', functions * STEPS_EACH, () =>
    forAll(items, async (item) => {
      for (let length = 0; length < STEPS_EACH; length += 1) await call(http, steps(item, length));
    }),
  );
  await forAll(items, async (item) => {
    const body = { ...completion(item), expected_length: STEPS_EACH };
    await call(http, post(`/work-items/${item.id}/complete`, body));
  });
}

const CLAIM = { worker_id: WORKER_ID, queue_types: ['python_tool', 'function'], wait_ms: 0 };

async function claim(http: LeanHttp): Promise<ClaimedItem> {
  const { work_item: item } = await call(http, post('/work-items/claim', CLAIM));
  if (item === undefined) throw new Error('no item was left to claim');
  return item as unknown as ClaimedItem;
}

function start(workflowId: string): LeanRequest {
  return post('/executions', { workflow_id: workflowId, input: INPUT });
}

function heartbeat({ id, lease_fence }: ClaimedItem): LeanRequest {
  return post(`/work-items/${id}/heartbeat`, { worker_id: WORKER_ID, lease_fence });
}

function completion({ id: _, ...item }: ClaimedItem): JsonObject {
  const { execution_id, node_id, lease_fence, idempotency_key } = item;
  return { execution_id, node_id, lease_fence, idempotency_key, duration_ms: 12, ...RESULT };
}

function report(item: ClaimedItem): LeanRequest {
  const one = { kind: 'complete', work_item_id: item.id, ...completion(item) };
  return post('/work-items/report', { worker_id: WORKER_ID, reports: [one] });
}

function steps({ id, lease_fence }: ClaimedItem, expectedLength: number): LeanRequest {
  const entry = { identity: `step${expectedLength}`, kind: 'step', output: { ok: true } };
  return post(`/work-items/${id}/steps`, {
    worker_id: WORKER_ID,
    lease_fence,
    expected_length: expectedLength,
    entries: [{ ...entry, attempts: 1, duration_ms: 3 }],
  });
}

function post(path: string, body?: unknown): LeanRequest {
  return { method: 'POST', path, head: HEAD, body: body === undefined ? '' : JSON.stringify(body) };
}

async function call(http: LeanHttp, request: LeanRequest): Promise<JsonObject> {
  const { status, body } = await http.request(request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${body}`);
  return JSON.parse(body) as JsonObject;
}

function forEach(count: number, task: () => Promise<void>): Promise<void> {
  return inLanes(LANES, times(count), task);
}

async function forAll<Item>(
  items: readonly Item[],
  task: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = [...items].toReversed();
  await inLanes(
    LANES,
    () => left.length === 0,
    async () => {
      const item = left.pop();
      if (item !== undefined) await task(item);
    },
  );
}
