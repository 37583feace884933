import test, { type ExecutionContext } from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { EXIT } from '../../bin/cli/exit-code.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* The output of a service process, in each format and at the levels that differ. */

const CALL = { kind: 'python_fn', module: 'm', function: 'f' };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const POLICY = { detectors: ['credit_card'] };
const MESSAGE = 'card 4111111111111111 is blocked';

type Line = Readonly<Record<string, unknown>>;

test('json, debug: each line is an object with time, level and the ids that are known', async (t) => {
  const { lines, id } = await live(t, { SVC_LOG_LEVEL: 'debug' });
  for (const line of lines) {
    t.regex(String(line['time']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    t.like(line, { role: 'all', version: lines[0]?.['version'] });
    t.is(typeof line['process_id'], 'string');
  }
  const named = (msg: string) => lines.filter((line) => line['msg'] === msg);
  const [started] = named('request answered').filter(({ route }) => route === '/executions');
  const tenant = started?.['tenant_id'];
  t.like(started, {
    level: 'debug',
    method: 'POST',
    status: 201,
    request_id: 'mine-1',
    trace_id: TRACE,
    execution_id: id,
  });
  t.regex(String(tenant), /^t-/);
  const [attempt] = named('attempt failed');
  t.like(attempt, {
    execution_id: id,
    tenant_id: tenant,
    workflow_id: 'w',
    node_id: 'a',
    node_kind: 'python_fn',
    tool: 'm.f',
    attempt: 0,
    error_class: 'refused',
  });
  const settled = named('request answered').find(({ route }) => String(route).endsWith('/fail'));
  t.is(settled?.['work_item_id'], attempt?.['work_item_id']);
  t.like(named('execution ended')[0], {
    execution_id: id,
    tenant_id: tenant,
    workflow_id: 'w',
    status: 'failed',
  });
});

for (const [title, env, state] of [
  ['json, debug: the state of an execution that ended is left out by default', {}, '[omitted]'],
  [
    'json, debug: the state of an execution that ended is logged where asked for, as data policies let it be seen',
    { SVC_LOGGING_REDACT_STATE: 'false' },
    { note: 'card [credit_card] is blocked', order: 'A-1' },
  ],
] as const) {
  test(title, async (t) => {
    const { lines } = await live(t, { SVC_LOG_LEVEL: 'debug', ...env });
    const [ended, ...others] = lines.filter((line) => 'state' in line);
    t.is(ended?.['msg'], 'execution ended');
    t.deepEqual(ended?.['state'], state);
    t.deepEqual(others, []);
  });
}

test('json, info: a life without trouble is a handful of lines', async (t) => {
  const { lines } = await live(t, {});
  t.true(lines.some(({ msg }) => msg === 'stopped'));
  t.true(lines.every(({ level }) => level === 'info'));
  t.false(lines.some((line) => 'execution_id' in line));
});

test('json, warn and silent: nothing', async (t) => {
  for (const level of ['warn', 'silent']) {
    t.deepEqual((await live(t, { SVC_LOG_LEVEL: level })).lines, [], level);
  }
});

test('pretty, debug: lines for people, with the same ids and nothing more', async (t) => {
  const { output, id } = await live(t, { SVC_LOG_LEVEL: 'debug', SVC_LOG_FORMAT: 'pretty' });
  t.notRegex(output, /^\{/m);
  t.regex(output, /^\[\d\d:\d\d:\d\d\.\d{3}\] DEBUG: request answered$/m);
  t.true(output.includes(`execution_id: "${id}"`));
  t.true(output.includes('request_id: "mine-1"'));
});

test('an unknown level or format is reported before anything starts', async (t) => {
  const folder = createFolder();
  t.teardown(() => folder.remove());
  for (const [name, value] of [
    ['SVC_LOG_LEVEL', 'chatty'],
    ['SVC_LOG_FORMAT', 'xml'],
  ] as const) {
    const { code, stderr } = await runSvc(['serve'], { cwd: folder.path, env: { [name]: value } });
    t.is(code, EXIT.usage);
    t.true(stderr.includes(name), stderr);
    t.true(stderr.includes(value), stderr);
  }
});

/** Runs an execution whose step fails, and then stops the process. */
async function live(
  t: ExecutionContext,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly lines: readonly Line[]; readonly output: string; readonly id: string }> {
  t.timeout(60_000);
  const database = await createTestDatabase('sqlite');
  const runtime: Runtime = await startRuntime({ databaseUrl: database.url, env });
  const svc = await runtime.newTenant();
  await svc.register({
    nodes: { a: { ...CALL, retry_policy: { max_attempts: 1 } } },
    data_policy: POLICY,
  });
  const reply = await svc.post<{ execution_id: string }>(
    '/executions',
    { workflow_id: 'w', input: { note: MESSAGE, order: 'A-1' } },
    { 'x-request-id': 'mine-1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
  );
  const { execution_id: id } = reply.body;
  await svc.breakDown('a', { error: MESSAGE, error_class: 'refused' });
  await svc.until(id, 'failed');
  t.is(await runtime.end('SIGTERM'), 0);
  await database.drop();
  const output = runtime.stdout();
  // The log contains neither the input nor the worker's message about it.
  t.false((output + runtime.stderr()).includes('41111111'));
  const lines = env['SVC_LOG_FORMAT'] === 'pretty' ? [] : output.trim().split('\n');
  return {
    output,
    id,
    lines: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line),
  };
}
