import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { openRuntime, type RuntimeOptions } from '../../src/index.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sendRequest } from '../support/http.ts';

const KEY = 'k9Qm2vX7pL4tR8wZ1nB6yH3c';
const OPTIONS = {
  settings: { 'auth.api_key': KEY, 'logging.level': 'silent' },
} as const satisfies Partial<RuntimeOptions>;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a program runs workflows behind a server of its own`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const runtime = await openRuntime({ ...OPTIONS, database: database.url });
    t.is(runtime.url, null);
    const server = createServer(runtime.handler ?? undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await runHello(t, `http://127.0.0.1:${port}`);
    await runtime.stop();
    server.close();
    server.closeAllConnections();
  });
}

test('a runtime in memory listens at the given address, and runs kinds of the program', async (t) => {
  await using runtime = await openRuntime({
    ...OPTIONS,
    database: ':memory:',
    listen: { port: 0 },
    kinds: [
      {
        type: 'shout',
        aliases: [],
        leaf: true,
        toolLike: false,
        parse: (fields) => fields,
        enter: (_, { scope }) => ({
          do: 'work',
          queue: 'engine',
          input: scope.state,
          payload: {},
        }),
        runner: () => ({
          run: async ({ input }) => ({
            ok: true,
            output: { text: `${JSON.stringify(input).toUpperCase()}!` },
            statePatch: {},
          }),
        }),
      },
    ],
  });
  const { data } = await runToEnd(runtime.url ?? '', {
    workflow_id: 'loud',
    nodes: { say: { kind: { type: 'shout' }, output_key: 'said' } },
  });
  t.false(existsSync('encryption.key'), 'a runtime in memory leaves no file');
  t.deepEqual(data['said'], { text: '{"NAME":"YOU"}!' });
});

test('settings that cannot be used are named, all at once', async (t) => {
  const settings = { 'runtime.port': 'many', 'runtime.prot': 1 };
  const unknown = await t.throwsAsync(openRuntime({ database: ':memory:', settings }), {
    name: 'ConfigError',
  });
  t.regex(unknown?.message ?? '', /unknown key runtime\.prot.*did you mean runtime\.port/);
  await t.throwsAsync(openRuntime({ database: ':memory:', settings: { 'runtime.port': 'many' } }), {
    name: 'ConfigError',
    message: /runtime\.port/,
  });
  await t.throwsAsync(openRuntime({ ...OPTIONS, database: 'mysql://localhost/svc' }), {
    name: 'ConfigError',
    message: /mysql/,
  });
  await t.throwsAsync(openRuntime({ ...OPTIONS, database: ':memory:', role: 'api' }), {
    name: 'ConfigError',
    message: /needs PostgreSQL/,
  });
});

test('an address in use is reported, and nothing stays open', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  await t.throwsAsync(openRuntime({ ...OPTIONS, database: ':memory:', listen: { port } }), {
    name: 'StartError',
    message: /another process uses it/,
  });
});

async function runHello(t: ExecutionContext, url: string): Promise<void> {
  const { status, data } = await runToEnd(url, {
    workflow_id: 'hello',
    nodes: { greet: { kind: { type: 'pass', output: { text: 'Hello' } }, output_key: 'greeting' } },
  });
  t.is(status, 'completed');
  t.deepEqual(data['greeting'], { text: 'Hello' });
}

/** Registers the workflow, starts it, and reads how it ended. */
async function runToEnd(
  url: string,
  ir: JsonObject & { readonly workflow_id: string },
): Promise<{ readonly status: string; readonly data: JsonObject }> {
  const post = <Body>(path: string, body: JsonObject) =>
    sendRequest<Body>(url, { method: 'POST', path, body, token: KEY });
  await post('/workflows', { ir });
  const { body } = await post<{ readonly execution_id: string }>('/executions', {
    workflow_id: ir.workflow_id,
    input: { name: 'you' },
  });
  return eventually(async () => {
    const read = await sendRequest<{ readonly status: string; readonly state: JsonObject }>(url, {
      path: `/executions/${body.execution_id}`,
      token: KEY,
    });
    if (read.body.status === 'running') throw new Error('it is running');
    return { status: read.body.status, data: read.body.state };
  });
}
