import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import test from 'ava';

import { openTestRuntime, type TestRuntime } from '../../../src/runtime/testing/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = new Date('2030-01-01T00:00:00Z');

test('two timers of days, one behind the other, end within one advance', async (t) => {
  await using runtime = await openTestRuntime({ startAt: START });
  const id = await start(runtime, {
    workflow_id: 'patient',
    nodes: { first: wait('1d'), second: wait('2d') },
    edges: [{ from: 'first', to: 'second' }],
  });
  await runtime.advance(DAY_MS);
  t.is(await statusOf(runtime, id), 'running');
  // The clock also runs while the test does.
  await runtime.advance(2 * DAY_MS - HOUR_MS);
  t.is(await statusOf(runtime, id), 'running');
  await runtime.advance(HOUR_MS);
  t.is(await statusOf(runtime, id), 'completed');
  const passedMs = runtime.now().getTime() - START.getTime();
  t.true(passedMs >= 3 * DAY_MS && passedMs < 3 * DAY_MS + 60_000, String(passedMs));
});

test('a schedule fires at each of its times', async (t) => {
  await using runtime = await openTestRuntime({ startAt: START });
  await register(runtime, { workflow_id: 'nightly', nodes: { say: { kind: { type: 'pass' } } } });
  await send(runtime, '/schedules', {
    name: 'every night',
    workflow_id: 'nightly',
    cron_expression: '0 3 * * *',
    input: {},
  });
  await runtime.advance(5 * DAY_MS);
  const { executions } = (await read(runtime, '/executions')) as { executions: unknown[] };
  t.is(executions.length, 5);
});

test('a lease that nobody settles lapses when time is skipped', async (t) => {
  await using runtime = await openTestRuntime({ startAt: START });
  await start(runtime, {
    workflow_id: 'tool',
    nodes: { call: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } } },
  });
  const claim = () =>
    send(runtime, '/work-items/claim', { worker_id: 'w', queue_types: ['python_tool'] });
  const first = (await claim()) as Claimed;
  t.is(first.work_item?.attempt, 0);
  await runtime.settle({ busyMsMax: 10 });
  t.deepEqual(await claim(), { claimed: false });
  await runtime.advance(60_000, { busyMsMax: 10 });
  const second = (await claim()) as Claimed;
  t.is(second.work_item?.attempt, 1);
});

test('a call that waits for a token of its rate is at rest until time is skipped', async (t) => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end('done');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const settings = { 'tools.allow_private_networks': true };
  await using runtime = await openTestRuntime({ startAt: START, settings });
  const rate = { limit: 1, per: '1d' };
  const ir = {
    workflow_id: 'paced',
    tools: { shop: { kind: 'http', reference: `http://127.0.0.1:${port}/`, rate } },
    nodes: { call: { kind: { type: 'tool', tool_ref: 'shop' } } },
  };
  const first = await start(runtime, ir);
  await runtime.settle();
  const { execution_id: second } = (await send(runtime, '/executions', {
    workflow_id: ir.workflow_id,
    input: {},
  })) as { execution_id: string };
  await runtime.settle();
  t.deepEqual([await statusOf(runtime, first), calls], ['completed', 1]);
  t.is(await statusOf(runtime, second), 'running');
  await runtime.advance(DAY_MS);
  t.deepEqual([await statusOf(runtime, second), calls], ['completed', 2]);
});

interface Definition {
  readonly workflow_id: string;
  readonly nodes: object;
  readonly edges?: readonly object[];
}

interface Claimed {
  readonly work_item?: { readonly attempt: number };
}

function wait(time: string): object {
  return { kind: { type: 'wait', condition: 'timer', timeout_secs: time } };
}

async function start(runtime: TestRuntime, ir: Definition): Promise<string> {
  await register(runtime, ir);
  const started = await send(runtime, '/executions', { workflow_id: ir.workflow_id, input: {} });
  return (started as { readonly execution_id: string }).execution_id;
}

async function register(runtime: TestRuntime, ir: object): Promise<void> {
  await send(runtime, '/workflows', { ir });
}

async function statusOf(runtime: TestRuntime, id: string): Promise<unknown> {
  return ((await read(runtime, `/executions/${id}`)) as { readonly status: unknown }).status;
}

async function send(runtime: TestRuntime, path: string, body: object): Promise<unknown> {
  const answer = await runtime.fetch(`http://runtime.local${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function read(runtime: TestRuntime, path: string): Promise<unknown> {
  return (await runtime.fetch(`http://runtime.local${path}`)).json();
}
