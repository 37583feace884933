import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import test from 'ava';

import { REPEAT_MS } from '../../bin/boot/drain.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc, type RunningSvc } from './run-svc.ts';

/* The tests run serially: thirty processes that start at once would measure the machine. */

const folder = createFolder();
test.after.always(() => folder.remove());

let folders = 0;
function ownFolder(): string {
  const path = join(folder.path, String(folders++));
  mkdirSync(path);
  return path;
}

/** No metrics listener, because many of these processes run at the same time. */
const ENV = { SVC_TELEMETRY_METRICS_PORT: 'off' };

async function serve(params: {
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Promise<{ readonly running: RunningSvc; readonly url: string; readonly port: number }> {
  const port = await freePort();
  const running = startSvc(['serve', '--port', String(port), ...(params.args ?? [])], {
    cwd: params.cwd,
    env: { ...ENV, ...params.env },
  });
  return { running, url: `http://127.0.0.1:${port}`, port };
}

test.serial('serve: asks for tokens, and those made beside it work at once', async (t) => {
  const cwd = ownFolder();
  const { running, url } = await serve({ cwd });
  await running.waitFor(/listening on/);
  t.regex(running.output(), /every request will be refused: .*svc\.js token create/);
  const env = { SVC_URL: url };

  t.is((await runSvc(['execution', 'list'], { cwd, env })).code, 3);
  const make = ['token', 'create', '--name', 'me', '--role', 'viewer'];
  const token = (await runSvc(make, { cwd })).stdout.trim();
  const listed = await runSvc(['execution', 'list', '--token', token, '-o', 'json'], { cwd, env });
  t.is(listed.code, 0, listed.stderr);
  t.deepEqual((JSON.parse(listed.stdout) as { executions: unknown[] }).executions, []);

  const asViewer = { ...env, SVC_TOKEN: token };
  const refused = await runSvc(['execution', 'start', 'w'], { cwd, env: asViewer });
  t.is(refused.code, 1);
  t.regex(
    refused.stderr,
    /^error: insufficient role — developer or operator required: give a token of such a role with --token or SVC_TOKEN \(create one with: node \S+ token create --name NAME --role ROLE\)\n$/,
  );
  t.deepEqual(await running.stop(), { code: 0, signal: null });
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test.serial(`serve: ${signal} ends it with 0 and frees port and file`, async (t) => {
    const cwd = ownFolder();
    const { running, port } = await serve({ cwd });
    await running.waitFor(/listening on/);
    t.deepEqual(await running.stop(signal), { code: 0, signal: null });
    t.regex(running.output(), /"msg":"stopped"/);

    const again = startSvc(['serve', '--port', String(port)], { cwd, env: ENV });
    await again.waitFor(/listening on/);
    t.deepEqual(await again.stop(), { code: 0, signal: null });
  });
}

test.serial('serve: an open event stream ends with the process, within the deadline', async (t) => {
  const cwd = ownFolder();
  const port = await freePort();
  const dev = startSvc(['dev', '--port', String(port)], {
    cwd,
    env: { SVC_SCHEDULER_SHUTDOWN_DEADLINE_SECONDS: '3' },
  });
  await dev.waitFor(/is running at/);
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(
    join(cwd, 'w.yaml'),
    'workflow_id: w\nnodes:\n  start: { kind: { type: python_fn, module: m, function: f } }\n',
  );
  const env = { SVC_URL: url };
  await runSvc(['workflow', 'register', 'w.yaml'], { cwd, env });
  const id = (await runSvc(['execution', 'start', 'w'], { cwd, env })).stdout.trim();
  const stream = await fetch(`${url}/executions/${id}/events`, {
    headers: { accept: 'text/event-stream' },
  });
  t.is(stream.status, 200);
  t.deepEqual(await dev.stop(), { code: 0, signal: null });
  t.regex(await stream.text(), /WorkflowStarted/);
});

/** A request without its body, so that a stop waits for it. */
async function beginRequest(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = 'Host: svc\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
  socket.write(`POST /workflows HTTP/1.1\r\nExpect: 100-continue\r\n${head}`);
  await once(socket, 'data');
  return socket;
}

test.serial(
  'a request that hangs is cut off at the deadline, and the exit code is 0',
  async (t) => {
    const port = await freePort();
    const dev = startSvc(['dev', '--port', String(port)], {
      cwd: ownFolder(),
      env: { SVC_SCHEDULER_SHUTDOWN_DEADLINE_SECONDS: '1' },
    });
    await dev.waitFor(/is running at/);
    const socket = await beginRequest(port);
    t.teardown(() => void socket.destroy());
    t.deepEqual(await dev.stop(), { code: 0, signal: null });
  },
);

test.serial('a second signal ends it, unless it may be a copy of the first', async (t) => {
  const port = await freePort();
  const dev = startSvc(['dev', '--port', String(port)], {
    cwd: ownFolder(),
    env: { SVC_SCHEDULER_SHUTDOWN_DEADLINE_SECONDS: '600' },
  });
  await dev.waitFor(/is running at/);
  const socket = await beginRequest(port);
  t.teardown(() => void socket.destroy());
  const askedAt = performance.now();
  const again = setInterval(() => dev.child.kill('SIGTERM'), 50);
  t.deepEqual(await dev.ended, { code: 143, signal: null });
  clearInterval(again);
  // Measured from before the first signal, so the copy always comes within the second.
  t.true(performance.now() - askedAt > REPEAT_MS);
  t.regex(dev.output(), /asked to stop again/);
});

test.serial('serve: a second one on the same SQLite file is refused', async (t) => {
  const cwd = ownFolder();
  const { running } = await serve({ cwd });
  await running.waitFor(/listening on/);
  const second = await runSvc(['serve', '--port', String(await freePort())], { cwd, env: ENV });
  t.is(second.code, 1);
  t.regex(
    second.stderr,
    /^database: .*\nerror: database file ".*" is being served by another process: .*\n$/,
  );
  await running.stop();
});

test.serial(
  'serve: exactly one of two processes started together on a new file serves',
  async (t) => {
    const cwd = ownFolder();
    const both = await Promise.all([serve({ cwd }), serve({ cwd })]);
    const outcomes = await Promise.all(
      both.map(({ running }) =>
        Promise.race([
          running.waitFor(/listening on/).then(
            () => 'serves',
            () => 'refused',
          ),
          running.ended.then(() => 'refused'),
        ]),
      ),
    );
    t.deepEqual(outcomes.toSorted(), ['refused', 'serves']);
    await Promise.all(both.map(({ running }) => running.stop()));
  },
);

test.serial(
  'unfinished executions continue after a kill, and their followers miss nothing',
  async (t) => {
    const cwd = ownFolder();
    const port = String(await freePort());
    const env = { SVC_URL: `http://127.0.0.1:${port}` };
    writeFileSync(
      join(cwd, 'gate.yaml'),
      'workflow_id: gate\nnodes:\n  ask: { kind: { type: human_approval, description: Go? } }\n',
    );
    const first = startSvc(['dev', '--port', port], { cwd });
    await first.waitFor(/is running at/);
    await runSvc(['workflow', 'register', 'gate.yaml'], { cwd, env });
    const id = (await runSvc(['execution', 'start', 'gate'], { cwd, env })).stdout.trim();
    const following = startSvc(['execution', 'events', id, '--follow'], { cwd, env });
    await following.waitFor(/ApprovalRequested/);
    await first.stop('SIGKILL');
    await following.waitFor(/connecting again/);

    const second = startSvc(['dev', '--port', port], { cwd });
    await second.waitFor(/is running at/);
    t.is((await runSvc(['execution', 'approve', id], { cwd, env })).code, 0);
    t.is((await following.ended).code, 0);
    const kinds = following.output().match(/#\d+ \w+/g) ?? [];
    t.true(kinds.at(-1)?.endsWith('WorkflowCompleted'), following.output());
    t.is(new Set(kinds).size, kinds.length);
    await second.stop();
  },
);

test.serial('probes: ready while serving', async (t) => {
  const probes = await freePort();
  const env = { SVC_TELEMETRY_METRICS_PORT: String(probes) };
  const { running } = await serve({ cwd: ownFolder(), env });
  await running.waitFor(/listening on/);
  const ready = await fetch(`http://127.0.0.1:${probes}/ready`);
  t.is(ready.status, 200);
  t.like(await ready.json(), { status: 'ok', db: 'connected' });
  const metrics = await (await fetch(`http://127.0.0.1:${probes}/metrics`)).text();
  t.regex(metrics, /^svc_build_info\{.*role="all"/m);
  t.regex(metrics, /^svc_shards_held /m);
  t.deepEqual(await running.stop(), { code: 0, signal: null });
});

test.serial('1: the port is taken', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const args = ['serve', '--port', String(port)];
  const { code, stderr } = await runSvc(args, { cwd: ownFolder(), env: ENV });
  t.is(code, 1);
  t.regex(
    stderr,
    new RegExp(`^database: .*\\nerror: cannot listen on 127\\.0\\.0\\.1 port ${port}: .*\\n$`),
  );
});

test.serial('1: the metrics port is taken', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await runSvc(['serve', '--port', String(await freePort())], {
    cwd: ownFolder(),
    env: { SVC_TELEMETRY_METRICS_PORT: String(port) },
  });
  t.is(code, 1);
  t.regex(stderr, new RegExp(`^database: .*\\nerror: .*${port}.*\\n$`));
});

test.serial('1: a directory in place of the database', async (t) => {
  const args = ['serve', '--database-url', '.'];
  const { code, stderr } = await runSvc(args, { cwd: ownFolder() });
  t.is(code, 1);
  t.regex(stderr, /^database: .*\nerror: database file ".*" is a directory: name a file in it\n$/);
});

test.serial('1: a file that is no database', async (t) => {
  const cwd = ownFolder();
  writeFileSync(join(cwd, 'notes.txt'), 'These are notes, not a database. '.repeat(50));
  const { code, stderr } = await runSvc(['serve', '--database-url', 'notes.txt'], { cwd });
  t.is(code, 1);
  t.regex(
    stderr,
    /^database: .*\nerror: database file ".*notes\.txt" is not an SQLite database: .*\n$/,
  );
});

const REFUSED = [
  {
    title: 'open to other machines without authentication',
    args: ['dev', '--bind', '0.0.0.0'],
    says: /runtime\.bind/,
  },
  {
    title: 'one role on an SQLite file',
    args: ['serve', '--role', 'api'],
    says: /database\.url: .*PostgreSQL/,
  },
  { title: 'an unknown log level', args: ['serve', '--log-level', 'loud'], says: /logging\.level/ },
  { title: 'a port that is no port', args: ['serve', '--port', '99999'], says: /runtime\.port/ },
];

for (const { title, args, says } of REFUSED) {
  test.serial(`2: ${title}`, async (t) => {
    const { code, stdout, stderr } = await runSvc(args, { cwd: ownFolder() });
    t.is(code, 2, stderr);
    t.is(stdout, '');
    t.regex(stderr, says);
    t.regex(stderr, /^error: .*\n$/);
  });
}

test.serial('2: a method of authentication without what it needs', async (t) => {
  const env = { SVC_AUTH_METHOD: 'jwt' };
  const { code, stderr } = await runSvc(['serve'], { cwd: ownFolder(), env });
  t.is(code, 2);
  t.regex(stderr, /^error: auth\.jwt\.issuer: must be set while auth\.method is jwt\n/);
});

test.serial(
  'serve waits for PostgreSQL with a line for each attempt, and gives up in time',
  async (t) => {
    const url = `postgres://127.0.0.1:${await freePort()}/svc`;
    const args = ['serve', '--database-url', url, '--database-wait', '5'];
    const { code, stdout, stderr } = await runSvc(args, { cwd: ownFolder(), env: ENV });
    t.is(code, 1);
    t.regex(stdout, /"attempt":1.*cannot be reached.*trying again/);
    t.regex(stdout, /"attempt":2/);
    t.regex(stderr, /^database: .*\nerror: PostgreSQL at .* cannot be reached: start it, .*\n$/);
  },
);

test.serial('serve continues when PostgreSQL answers at last', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const server = new URL(database.url);
  const late = new URL(database.url);
  late.host = `127.0.0.1:${await freePort()}`;
  const { running } = await serve({ cwd: ownFolder(), args: ['--database-url', late.href] });
  await running.waitFor(/cannot be reached.*trying again/);

  const open = new Set<Socket>();
  const relay = createServer((socket) => {
    const onward = connect({ host: server.hostname, port: Number(server.port) });
    for (const end of [socket, onward]) open.add(end.on('error', () => undefined));
    socket.pipe(onward).pipe(socket);
  });
  t.teardown(() => {
    relay.close();
    for (const socket of open) socket.destroy();
  });
  relay.listen(Number(late.port), '127.0.0.1');
  await running.waitFor(/listening on/);
  t.deepEqual(await running.stop(), { code: 0, signal: null });
});

test.serial('serve: SIGTERM while it waits for PostgreSQL ends it with 0', async (t) => {
  const url = `postgres://127.0.0.1:${await freePort()}/svc`;
  const running = startSvc(['serve', '--database-url', url], { cwd: ownFolder(), env: ENV });
  await running.waitFor(/trying again/);
  t.deepEqual(await running.stop(), { code: 0, signal: null });
});

test.serial('1: the schema is old and must not be migrated', async (t) => {
  const database = await createEmptyDatabase('postgres');
  t.teardown(() => database.drop());
  const { code, stderr } = await runSvc(['serve', '--database-url', database.url], {
    cwd: ownFolder(),
    env: { ...ENV, SVC_DATABASE_AUTO_MIGRATE: 'false' },
  });
  t.is(code, 1);
  t.regex(
    stderr,
    /^database: .*\nerror: the database schema has version 0, .*run "node .*\/svc\.js db migrate"\n$/,
  );
});

test.serial('svc-api and svc-scheduler run a workflow together on PostgreSQL', async (t) => {
  const cwd = ownFolder();
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const port = await freePort();
  const key = 'a-key-of-this-test-alone';
  const common = { ...ENV, SVC_DATABASE_URL: database.url, SVC_AUTH_API_KEY: key };
  const api = startSvc(['--port', String(port)], { cwd, env: common, program: 'svc-api' });
  const scheduler = startSvc([], { cwd, env: common, program: 'svc-scheduler' });
  await Promise.all([api.waitFor(/listening on/), scheduler.waitFor(/scheduling/)]);

  writeFileSync(
    join(cwd, 'w.yaml'),
    'workflow_id: w\nnodes:\n  start: { kind: { type: pass, output: { done: true } } }\n',
  );
  const env = { SVC_URL: `http://127.0.0.1:${port}`, SVC_TOKEN: key };
  t.is((await runSvc(['workflow', 'register', 'w.yaml'], { cwd, env })).code, 0);
  const waited = await runSvc(['execution', 'start', 'w', '--wait', '-o', 'json'], { cwd, env });
  t.is(waited.code, 0, waited.stderr);
  t.is((JSON.parse(waited.stdout) as { status: string }).status, 'completed');

  const response = await fetch(`${env.SVC_URL}/workers`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { workers } = (await response.json()) as { workers: { kind: string }[] };
  t.is(workers.filter(({ kind }) => kind === 'runtime').length, 2);
  t.deepEqual(await api.stop(), { code: 0, signal: null });
  t.deepEqual(await scheduler.stop(), { code: 0, signal: null });
});
