import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { readUnit } from '../install/unit.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';

/*
 * Runs the commands of the units and stops them as systemd does. The units set `KillMode=mixed`,
 * which signals the main process alone. systemd's default, `control-group`, signals every process:
 * a process that a launcher started on an older Node then also gets the launcher's copy.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE = join(ROOT, 'node_modules/.bin/node');
const LAUNCH = new URL('../../bin/launch/launch.js', import.meta.url).href;
const KEY = 'k3y-that-only-this-test-of-units-knows';
const WAIT_MS_MAX = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-test-units-'));
const units = join(folder, 'etc/systemd/system');
mkdirSync(units, { recursive: true });
mkdirSync(join(folder, 'etc/svc'));
writeFileSync(join(folder, 'etc/svc/svc.env'), '');
const config = join(folder, 'svc.toml');
writeFileSync(config, '');
for (const name of ['svc-api', 'svc-scheduler']) {
  cpSync(join(ROOT, `deploy/systemd/${name}.service`), join(units, `${name}.service`));
}

const database = await createTestDatabase('postgres');
const alive = new Set<ChildProcess>();
const tools = new Set<Server>();
test.after.always(async () => {
  for (const child of alive) process.kill(-(child.pid ?? 0), 'SIGKILL');
  for (const tool of tools) tool.closeAllConnections();
  await database.drop();
  rmSync(folder, { recursive: true });
});

for (const [how, viaLauncher, signalled] of [
  ['KillMode=mixed', false, 'main'],
  ['KillMode=control-group', false, 'group'],
  ['KillMode=mixed and an older Node', true, 'main'],
  ['KillMode=control-group and an older Node', true, 'group'],
] as const) {
  test.serial(`${how}: a stop of both services finishes what is in flight`, async (t) => {
    const port = await freePort();
    const tool = await openSlowTool();
    const start = (name: 'svc-api' | 'svc-scheduler') =>
      startUnit({
        name,
        viaLauncher,
        env: {
          SVC_DATABASE_URL: database.url,
          SVC_AUTH_API_KEY: KEY,
          SVC_PORT: String(port),
          SVC_TELEMETRY_METRICS_PORT: 'off',
          SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true',
        },
      });
    const [api, scheduler] = [start('svc-api'), start('svc-scheduler')];
    await Promise.all([api.waitFor('listening on'), scheduler.waitFor('"msg":"scheduling"')]);
    const call = (path: string, body?: object) => callApi({ port, path, body });
    await call('/workflows', { ir: slowWorkflow(tool.url) });
    const { execution_id: id } = await call('/executions', { workflow_id: 'slow', input: {} });
    await tool.called;
    const request = await beginRegistration(port);

    const stop = signalled === 'main' ? api.stopMain : api.stopGroup;
    stop();
    await api.waitFor('"msg":"stopping"');
    request.finish();
    t.regex(await request.answer, /^HTTP\/1\.1 201 /m);
    t.is(await api.ended, 0, api.output());

    scheduler[signalled === 'main' ? 'stopMain' : 'stopGroup']();
    await scheduler.waitFor('"msg":"stopping"');
    tool.answer();
    t.is(await scheduler.ended, 0, scheduler.output());
    t.notRegex(api.output() + scheduler.output(), /asked to stop again/);

    const reader = start('svc-api');
    await reader.waitFor('listening on');
    const { events } = await call(`/executions/${id}/events`);
    t.true(
      events.some(({ kind, node_id: node }) => kind === 'NodeCompleted' && node === 'slow'),
      JSON.stringify(events),
    );
    t.is(tool.calls(), 1);
    reader.stopMain();
    await reader.ended;
  });
}

function slowWorkflow(url: string): object {
  return {
    workflow_id: 'slow',
    tools: { call: { kind: 'http', method: 'POST', reference: url } },
    nodes: { slow: { kind: { type: 'tool', tool_ref: 'call' } } },
    edges: [],
  };
}

interface Answer {
  readonly execution_id: string;
  readonly events: readonly { readonly kind: string; readonly node_id: string | null }[];
}

async function callApi(params: {
  readonly port: number;
  readonly path: string;
  readonly body: object | undefined;
}): Promise<Answer> {
  const { port, path, body } = params;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** A tool that answers its calls only after `answer()`. */
async function openSlowTool() {
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    called.resolve();
    void answered.promise.then(() => {
      response.setHeader('content-type', 'application/json');
      response.end('{"done":true}');
      server.close();
    });
  }).listen(0, '127.0.0.1');
  tools.add(server);
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    called: called.promise,
    answer: () => answered.resolve(),
    calls: () => calls,
  };
}

/** Sends a request whose body follows on `finish`. */
async function beginRegistration(port: number) {
  const body = JSON.stringify({
    ir: { workflow_id: 'late', nodes: { a: { kind: { type: 'pass' } } }, edges: [] },
  });
  const socket: Socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  const head = [
    'POST /workflows HTTP/1.1',
    'Host: svc',
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  const answer = once(socket, 'close').then(() => text);
  return { answer, finish: () => void socket.write(body) };
}

function startUnit(params: {
  readonly name: 'svc-api' | 'svc-scheduler';
  readonly viaLauncher: boolean;
  readonly env: Readonly<Record<string, string>>;
}) {
  const unit = readUnit(params.name, folder);
  const [, program = '', ...args] = unit.command.map((word) =>
    word.replace('/opt/svc/', ROOT).replace('/etc/svc/svc.toml', config),
  );
  const entry = params.viaLauncher ? writeLauncher(params.name) : program;
  const child = spawn(NODE, [entry, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), ...unit.env, ...params.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, like that of a unit.
    detached: true,
  });
  alive.add(child);
  let output = '';
  const changed = new EventTarget();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      changed.dispatchEvent(new Event('output'));
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    alive.delete(child);
    return code as number | null;
  });
  return {
    ended,
    output: () => output,
    stopMain: () => void child.kill('SIGTERM'),
    stopGroup: () => void process.kill(-(child.pid ?? 0), 'SIGTERM'),
    async waitFor(text: string): Promise<void> {
      const timer = AbortSignal.timeout(WAIT_MS_MAX);
      while (!output.includes(text)) {
        const over = await Promise.race([
          once(changed, 'output', { signal: timer }).then(() => false),
          ended.then(() => true),
        ]);
        if (over && !output.includes(text)) throw new Error(`it never printed ${text}:\n${output}`);
      }
    },
  };
}

/** Simulates an older Node, so that the program runs in a child process. */
function writeLauncher(name: string): string {
  const file = join(folder, `${name}.mjs`);
  const source = new URL(`../../bin/${name}.ts`, import.meta.url).href;
  const target = `{ source: new URL('${source}'), built: new URL('${source}'), minimum: [999, 0] }`;
  writeFileSync(file, `import { launch } from '${LAUNCH}';\nlaunch(${target});\n`);
  return file;
}
