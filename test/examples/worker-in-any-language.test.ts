import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

import { createFolder, startSvc, type RunningSvc } from '../bin/run-svc.ts';
import { readPage } from '../docs/support/pages.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { openRecordingProxy, type RecordingProxy } from './recording-proxy.ts';
import { watchProcess, type WatchedProcess } from './watch-process.ts';

/*
 * The workers that `docs/guides/workers.md` shows, as real processes against a real runtime. The
 * proxy between them fails like a network. Without its interpreter, a worker is only compared with
 * the page. `UPDATE_DOCS=1` writes the workers into the page.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = `${ROOT}docs/guides/workers.md`;

const WORKERS = [
  {
    name: 'python',
    file: 'python/worker.py',
    program: 'python3',
    needs: [['python3', '--version']],
  },
  {
    name: 'bash',
    file: 'shell/worker.sh',
    program: 'bash',
    needs: [
      ['bash', '--version'],
      ['curl', '--version'],
      ['jq', '--version'],
    ],
  },
  { name: 'typescript', file: 'typescript/worker.ts', program: process.execPath, needs: [] },
] as const;

const folder = createFolder();
let runtime: RunningSvc;
let url: string;

test.before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  runtime = startSvc(['dev', '--port', String(port)], { cwd: folder.path });
  await runtime.waitFor(/is running at/);
});

test.after.always(async () => {
  await runtime.stop();
  await folder.remove();
});

test('the page shows the workers as they are', (t) => {
  let page = readFileSync(PAGE, 'utf8');
  for (const { file } of WORKERS) {
    const source = readFileSync(`${ROOT}examples/workers/${file}`, 'utf8');
    const place = new RegExp(`(<!-- ${file} -->\n\n\`\`\`\\w+\n)[\\s\\S]*?(\`\`\`\n)`);
    t.regex(page, place);
    page = page.replace(place, (_, before: string, after: string) => before + source + after);
  }
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
  t.is(readFileSync(PAGE, 'utf8'), page);
  t.true(readPage('docs/guides/workers.md', page).blocks.length >= WORKERS.length);
});

for (const { name, file, program, needs } of WORKERS) {
  if (!needs.every(([command, ...args]) => spawnSync(command, args).status === 0)) continue;
  const open = (t: ExecutionContext, interfere?: RecordingProxy['interfere']) =>
    startWorker(t, { program, file, ...(interfere && { interfere }) });

  test.serial(`${name}: an item is claimed and completed with fence and key`, async (t) => {
    const { proxy, worker, start, stateOf } = await open(t);
    const id = await start({ number: 12 });
    t.deepEqual(await stateOf(id), { number: 12, squared: { square: 144 } });
    const [claimed] = proxy.exchanges.filter(({ answer }) => answer['claimed'] === true);
    const item = claimed?.answer['work_item'] as Readonly<Record<string, unknown>>;
    const completed = await proxy.until(({ action }) => action === 'complete');
    t.is(completed.body['lease_fence'], item['lease_fence']);
    t.is(completed.body['idempotency_key'], item['idempotency_key']);
    worker.process.kill('SIGTERM');
    t.deepEqual(await worker.ended, { code: 0, signal: null }, worker.output());
  });

  test.serial(`${name}: a failed call is handed in as failed, and tried again`, async (t) => {
    const { proxy, start, untilEnded } = await open(t);
    const id = await start({ number: { no: 'number' } });
    await untilEnded(id);
    t.deepEqual(settlements(proxy), ['fail 200', 'fail 200']);
    const [failed] = proxy.exchanges.filter(({ action }) => action === 'fail');
    t.true(String(failed?.body['error']).length > 5);
  });

  test.serial(`${name}: while nothing is known it asks again, and renews the lease`, async (t) => {
    const { proxy, start, stateOf } = await open(t, ({ action, count }) => {
      if (action === 'claim') return count === 1 ? UNAVAILABLE : null;
      return action === 'complete' && count <= 2 ? UNAVAILABLE : null;
    });
    const id = await start({ number: 3 });
    t.deepEqual(await stateOf(id), { number: 3, squared: { square: 9 } });
    t.deepEqual(settlements(proxy), ['complete 503', 'complete 503', 'complete 200']);
    t.true(proxy.exchanges.some(({ action, status }) => action === 'heartbeat' && status === 200));
  });

  test.serial(`${name}: an answer that got lost is no failure`, async (t) => {
    const { proxy, start, untilEnded } = await open(t, ({ action, count }) =>
      action === 'complete' && count === 1 ? 'lose_answer' : null,
    );
    await untilEnded(await start({ number: 4 }));
    // The worker takes the next item only after it has sent everything about this one.
    await untilEnded(await start({ number: 5 }));
    // A heartbeat may report that the item is settled before the worker repeats its request.
    const told = settlements(proxy).filter((settlement) => settlement !== 'complete 409');
    t.deepEqual(told, ['complete 200', 'complete 200']);
  });

  test.serial(`${name}: once the lease is lost nothing more is sent about the item`, async (t) => {
    let isLost = false;
    const { proxy, call, start, untilEnded } = await open(t, ({ action }) => {
      if (isLost || action === 'claim') return null;
      return action === 'heartbeat' ? LOST : UNAVAILABLE;
    });
    const id = await start({ number: 5 });
    await proxy.until(({ action, status }) => action === 'heartbeat' && status === 409);
    isLost = true;
    await call('POST', `/executions/${id}/cancel`);
    await untilEnded(await start({ number: 6 }));
    // Requests that were already sent may get a 409.
    const told = settlements(proxy).filter(
      (settlement) => !/^complete (503|409)$/.test(settlement),
    );
    t.deepEqual(told, ['complete 200']);
  });

  test.serial(`${name}: heartbeats end with the process, however it ends`, async (t) => {
    const { proxy, worker, start, call } = await open(t, ({ action }) =>
      action === 'complete' ? UNAVAILABLE : null,
    );
    const id = await start({ number: 7 });
    await proxy.until(({ action }) => action === 'heartbeat');
    worker.process.kill('SIGKILL');
    await worker.ended;
    await eventually(() => {
      const left = processesWith(proxy.url);
      if (left.length > 0) throw new Error(`${left.join()} are left of the worker`);
    });
    await call('POST', `/executions/${id}/cancel`);
    t.pass();
  });

  test.serial(`${name}: a refused token ends the worker, with a message`, async (t) => {
    const { worker } = await open(t, () => ({ status: 401, body: { error: 'no such token' } }));
    t.deepEqual(await worker.ended, { code: 1, signal: null });
    t.regex(worker.output(), /the runtime refuses: [^]*no such token/);
  });
}

const UNAVAILABLE = { status: 503, body: { error: 'unavailable: try again' } };
const LOST = { status: 409, body: { renewed: false, reason: 'lease lost' } };

/** Each worker has its own tenant, because an earlier worker's claim may still get an item. */
async function startWorker(
  t: ExecutionContext,
  of: {
    readonly program: string;
    readonly file: string;
    readonly interfere?: RecordingProxy['interfere'];
  },
): Promise<Opened> {
  t.timeout(60_000);
  const tenantId = `t-${(tenants += 1)}`;
  await tenantOf('default').call('POST', '/tenants', { id: tenantId, name: tenantId });
  const tenant = tenantOf(tenantId);
  await tenant.call('POST', '/workflows', { ir: SQUARE });
  const proxy = await openRecordingProxy(url, tenant.headers);
  if (of.interfere !== undefined) proxy.interfere = of.interfere;
  const path = `${ROOT}examples/workers/${of.file}`;
  const worker = watchProcess([path], { SVC_URL: proxy.url }, of.program);
  t.teardown(async () => {
    worker.process.kill('SIGKILL');
    proxy.close();
  });
  return { proxy, worker, ...tenant };
}

/** Ids of the processes that have this address in their environment. */
function processesWith(address: string): readonly string[] {
  return globSync('/proc/[0-9]*/environ').filter((file) => {
    try {
      return readFileSync(file, 'utf8').split('\0').includes(`SVC_URL=${address}`);
    } catch {
      return false;
    }
  });
}

function settlements(proxy: RecordingProxy): readonly string[] {
  return proxy.exchanges
    .filter(({ action }) => action === 'complete' || action === 'fail')
    .map(({ action, status }) => `${action} ${status}`);
}

interface Opened extends Tenant {
  readonly proxy: RecordingProxy;
  readonly worker: WatchedProcess;
}

type Tenant = ReturnType<typeof tenantOf>;
let tenants = 0;

const SQUARE = {
  workflow_id: 'square',
  nodes: {
    square: {
      kind: { type: 'python_fn', module: 'numbers', function: 'square' },
      input_mapping: { value: '$.number' },
      output_key: 'squared',
      retry_policy: { max_attempts: 2, initial_delay: '1ms', jitter: false },
    },
  },
  timeouts: { heartbeat_interval: '100ms' },
};

function tenantOf(tenantId: string) {
  const headers = { 'x-tenant-id': tenantId };

  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Body;
  }

  async function start(input: object): Promise<string> {
    const body = { workflow_id: 'square', input };
    return (await call<{ execution_id: string }>('POST', '/executions', body)).execution_id;
  }

  /** The stream of events ends with the execution. */
  async function untilEnded(id: string): Promise<void> {
    const stream = { ...headers, accept: 'text/event-stream' };
    await (await fetch(`${url}/executions/${id}/events`, { headers: stream })).text();
  }

  async function stateOf(id: string): Promise<unknown> {
    await untilEnded(id);
    return (await call<{ state: unknown }>('GET', `/executions/${id}`)).state;
  }

  return { headers, call, start, untilEnded, stateOf };
}
