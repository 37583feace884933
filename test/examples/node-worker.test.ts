import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

import { createFolder, startSvc, type RunningSvc } from '../bin/run-svc.ts';
import { freePort } from '../support/servers/ports.ts';
import {
  openRecordingProxy,
  type Action,
  type Exchange,
  type RecordingProxy,
} from './recording-proxy.ts';
import { openToolGate, type ToolGate } from './tool-gate.ts';
import { watchProcess, type WatchedProcess } from './watch-process.ts';

/*
 * The example worker as a real process against a real runtime. A proxy between them records every
 * request. Tests run one at a time, because a worker takes any item of the queue.
 */

const MAIN = fileURLToPath(new URL('../../examples/workers/node/main.ts', import.meta.url));
const folder = createFolder();
let runtime: RunningSvc;
let url: string;

test.before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  runtime = startSvc(['dev', '--port', String(port)], { cwd: folder.path });
  await runtime.waitFor(/is running at/);
  for (const ir of DEFINITIONS) await callApi('POST', '/workflows', { ir });
});

test.after.always(async () => {
  await runtime.stop();
  await folder.remove();
});

/**
 * One call of `test.tool`. Its heartbeats are frequent enough to wait for, or never come in a test.
 */
const DEFINITIONS = [
  define('lively', { module: 'test', function: 'tool' }, '100ms'),
  define('silent', { module: 'test', function: 'tool' }, '10s'),
  define('unknown', { module: 'test', function: 'missing' }, '10s'),
];

test.serial(
  'an item is renewed while it is worked on, and completed with fence and key',
  async (t) => {
    const { gate, proxy } = await startWorker(t);
    const executionId = await start('lively', { color: 'red' });
    const call = await gate.nextCall();
    t.deepEqual(call.input, { color: 'red' });
    t.is(call.attempt, 0);
    const renewed = new Set<unknown>();
    await proxy.until(({ action, answer }) => {
      if (action === 'heartbeat') renewed.add(answer['lease_expires_at']);
      return renewed.size >= 2;
    });
    call.returns({ done: 'yes' });
    const completed = await proxy.until(isAction('complete'));
    const item = claimedItem(proxy);
    t.is(completed.status, 200);
    t.is(completed.body['lease_fence'], item['lease_fence']);
    t.is(completed.body['idempotency_key'], item['idempotency_key']);
    t.is(item['idempotency_key'], call.idempotencyKey);
    t.is(completed.body['execution_id'], executionId);
    t.is(completed.body['node_id'], 'work');
    t.is(typeof completed.body['duration_ms'], 'number');
    t.deepEqual(await readState(executionId), { color: 'red', result: { done: 'yes' } });
  },
);

test.serial(
  'an error that a handler throws fails the attempt, and the next attempt has the same key',
  async (t) => {
    const { gate, proxy } = await startWorker(t);
    const executionId = await start('silent', {});
    const first = await gate.nextCall();
    first.throws('out of stock');
    const failed = await proxy.until(isAction('fail'));
    t.is(failed.body['error'], 'out of stock');
    t.is(failed.body['error_class'], 'RangeError');
    t.is(failed.body['lease_fence'], claimedItem(proxy)['lease_fence']);
    t.true(failed.answer['retryable']);
    const second = await gate.nextCall();
    t.is(second.attempt, 1);
    t.is(second.idempotencyKey, first.idempotencyKey);
    second.returns({});
    await untilEnded(executionId);
  },
);

test.serial('a tool it does not have is left to others', async (t) => {
  const { gate, proxy } = await startWorker(t);
  const other = await start('unknown', {});
  const executionId = await start('silent', {});
  (await gate.nextCall()).returns({});
  await untilEnded(executionId);
  await proxy.until(isCompleted);
  t.deepEqual(settlements(proxy), ['complete 200']);
  const claimed = proxy.exchanges.find(({ action }) => action === 'claim');
  t.deepEqual(claimed?.body['tools'], ['test.tool']);
  t.false((await readEvents(other)).includes('NodeFailed'));
  const claim = { worker_id: 'other', queue_types: ['python_tool'], tools: ['test.missing'] };
  t.like(await callApi('POST', '/work-items/claim', claim), { claimed: true });
  await callApi('POST', `/executions/${other}/cancel`, {});
});

test.serial('an item of a tool it does not have is given back without an attempt', async (t) => {
  // An older runtime ignores the tools of a claim.
  const { proxy } = await startWorker(t, {
    interfere: ({ action }) => (action === 'claim' ? 'without_tools' : null),
  });
  const executionId = await start('unknown', {});
  const released = await proxy.until(isAction('release'));
  t.is(released.status, 200);
  t.deepEqual(settlements(proxy), []);
  t.false((await readEvents(executionId)).includes('NodeFailed'));
  await callApi('POST', `/executions/${executionId}/cancel`, {});
});

test.serial('an output that the runtime refuses fails the attempt', async (t) => {
  const { gate, proxy } = await startWorker(t);
  await start('silent', {});
  (await gate.nextCall()).returns(['no', 'object']);
  t.is((await proxy.until(isAction('complete'))).status, 400);
  const failed = await proxy.until(isAction('fail'));
  t.is(failed.status, 200);
  t.is(failed.body['error_class'], 'invalid_output');
  (await gate.nextCall()).returns({});
  await proxy.until((exchange) => exchange.action === 'complete' && exchange.status === 200);
});

test.serial(
  '409 to a heartbeat: the call is broken off, and neither complete nor fail is sent',
  async (t) => {
    const { gate, proxy, worker } = await startWorker(t);
    const executionId = await start('lively', {});
    const call = await gate.nextCall();
    await callApi('POST', `/executions/${executionId}/cancel`);
    await call.abandoned;
    await worker.waitFor(/abandoned/);
    t.is((await proxy.until(isRefused('heartbeat'))).status, 409);
    await checkStillWorks(gate);
    await proxy.until(isCompleted);
    t.deepEqual(settlements(proxy), ['complete 200']);
  },
);

test.serial('409 to complete: nothing more is sent, fail least of all', async (t) => {
  const { gate, proxy, worker } = await startWorker(t);
  const executionId = await start('silent', {});
  const call = await gate.nextCall();
  await callApi('POST', `/executions/${executionId}/cancel`);
  call.returns({ too: 'late' });
  t.is((await proxy.until(isAction('complete'))).status, 409);
  await worker.waitFor(/left as it is/);
  await checkStillWorks(gate);
  await proxy.until(isCompleted);
  t.deepEqual(settlements(proxy), ['complete 409', 'complete 200']);
});

test.serial(
  'an answer that got lost: complete is sent again, and its 409 is taken as done',
  async (t) => {
    const { gate, proxy, worker } = await startWorker(t);
    proxy.interfere = ({ action, count }) =>
      action === 'complete' && count === 1 ? 'lose_answer' : null;
    const executionId = await start('silent', {});
    (await gate.nextCall()).returns({ once: true });
    await worker.waitFor(/left as it is, already settled/);
    t.deepEqual(settlements(proxy), ['complete 200', 'complete 409']);
    t.deepEqual(await readState(executionId), { result: { once: true } });
    const events = await readEvents(executionId);
    t.is(events.filter((kind) => kind === 'NodeCompleted').length, 1);
  },
);

test.serial(
  '503: claim, heartbeat and complete are sent again until they are answered',
  async (t) => {
    const { gate, proxy } = await startWorker(t, {
      interfere: ({ count }) => (count === 1 ? UNAVAILABLE : null),
    });
    const executionId = await start('lively', {});
    const call = await gate.nextCall();
    await proxy.until(({ action, status }) => action === 'heartbeat' && status === 200);
    call.returns({});
    await untilEnded(executionId);
    await proxy.until(isCompleted);
    t.deepEqual(settlements(proxy), ['complete 503', 'complete 200']);
  },
);

test.serial(
  'SIGTERM: the current item is finished, nothing more is claimed, exit code 0',
  async (t) => {
    const { gate, proxy, worker } = await startWorker(t);
    const executionId = await start('lively', {});
    const call = await gate.nextCall();
    worker.process.kill('SIGTERM');
    const before = proxy.exchanges.length;
    const heartbeat = proxy.exchanges.filter(isAction('heartbeat')).length;
    await proxy.until(() => proxy.exchanges.filter(isAction('heartbeat')).length > heartbeat);
    call.returns({ last: 'one' });
    t.deepEqual(await worker.ended, { code: 0, signal: null });
    t.deepEqual(await readState(executionId), { result: { last: 'one' } });
    t.deepEqual(proxy.exchanges.slice(before).filter(isAction('claim')), []);
  },
);

test.serial('SIGTERM while it waits for work ends it at once', async (t) => {
  const { worker } = await startWorker(t);
  await worker.waitFor(/takes work from/);
  worker.process.kill('SIGTERM');
  t.deepEqual(await worker.ended, { code: 0, signal: null });
});

test.serial('a second SIGTERM ends it in the middle of an item', async (t) => {
  const { gate, worker } = await startWorker(t);
  const executionId = await start('silent', {});
  const call = await gate.nextCall();
  worker.process.kill('SIGTERM');
  await worker.waitFor(/finishing the current items/);
  worker.process.kill('SIGTERM');
  t.deepEqual(await worker.ended, { code: 143, signal: null });
  await call.abandoned;
  await callApi('POST', `/executions/${executionId}/cancel`);
});

test.serial('401: it says that it was refused and exits with 1', async (t) => {
  const { worker } = await startWorker(t, {
    interfere: () => ({ status: 401, body: { error: 'invalid or expired token' } }),
  });
  t.deepEqual(await worker.ended, { code: 1, signal: null });
  t.regex(worker.output(), /the runtime refused: invalid or expired token \(HTTP status 401\)/);
});

const UNAVAILABLE = { status: 503, body: { error: 'unavailable: try again' } };

function define(workflowId: string, call: object, heartbeat: string): object {
  return {
    workflow_id: workflowId,
    nodes: {
      work: { kind: { type: 'python_fn', ...call }, output_key: 'result', retry_policy: 'quick' },
    },
    edges: [],
    timeouts: { heartbeat_interval: heartbeat },
    retry_policies: { quick: { initial_delay: '1ms', jitter: false } },
  };
}

/** A worker with one lane, so that its actions have an order; the end of the test kills it. */
async function startWorker(
  t: ExecutionContext,
  options: Partial<Pick<RecordingProxy, 'interfere'>> = {},
): Promise<{ gate: ToolGate; proxy: RecordingProxy; worker: WatchedProcess }> {
  const gate = await openToolGate(folder.path);
  const proxy = await openRecordingProxy(url);
  if (options.interfere) proxy.interfere = options.interfere;
  const worker = watchProcess([MAIN, gate.handlersFile], {
    SVC_URL: proxy.url,
    WORKER_ID: 'test-worker',
    WORKER_CONCURRENCY: '1',
    ...gate.env,
  });
  t.teardown(async () => {
    worker.process.kill('SIGKILL');
    await worker.ended;
    proxy.close();
    gate.close();
  });
  return { gate, proxy, worker };
}

/** The worker takes the next item only after it has sent everything about the last one. */
async function checkStillWorks(gate: ToolGate): Promise<void> {
  const executionId = await start('silent', {});
  (await gate.nextCall()).returns({});
  await untilEnded(executionId);
}

function isAction(action: Action): (exchange: Exchange) => boolean {
  return (exchange) => exchange.action === action;
}

function isRefused(action: Action): (exchange: Exchange) => boolean {
  return (exchange) => exchange.action === action && exchange.status >= 400;
}

/** The answer reaches the worker after its effects are visible. */
function isCompleted({ action, status }: Exchange): boolean {
  return action === 'complete' && status === 200;
}

function settlements(proxy: RecordingProxy): string[] {
  return proxy.exchanges
    .filter(({ action }) => action === 'complete' || action === 'fail')
    .map(({ action, status }) => `${action} ${status}`);
}

function claimedItem(proxy: RecordingProxy): Readonly<Record<string, unknown>> {
  const claim = proxy.exchanges.find(({ answer }) => answer['claimed'] === true);
  return (claim?.answer['work_item'] ?? {}) as Record<string, unknown>;
}

async function start(workflowId: string, input: object): Promise<string> {
  const body = { workflow_id: workflowId, input };
  const { execution_id: id } = await callApi<{ execution_id: string }>('POST', '/executions', body);
  return id;
}

async function readState(executionId: string): Promise<unknown> {
  await untilEnded(executionId);
  const { state } = await callApi<{ state: unknown }>('GET', `/executions/${executionId}`);
  return state;
}

async function readEvents(executionId: string): Promise<string[]> {
  const path = `/executions/${executionId}/events`;
  const { events } = await callApi<{ events: { kind: string }[] }>('GET', path);
  return events.map(({ kind }) => kind);
}

/** The stream of events ends with the execution. */
async function untilEnded(executionId: string): Promise<void> {
  const headers = { accept: 'text/event-stream' };
  const stream = await fetch(`${url}/executions/${executionId}/events`, { headers });
  await stream.text();
}

async function callApi<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(url + path, {
    method,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Body;
}
