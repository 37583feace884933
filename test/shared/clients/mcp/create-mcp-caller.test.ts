import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

import { createMcpCaller } from '../../../../src/shared/clients/mcp/create-mcp-caller.ts';
import type { McpServerSetting } from '../../../../src/shared/config/read-mcp-servers.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import type {
  AuthPart,
  McpServerPart,
} from '../../../../src/shared/domain/workflow/parse/parts.ts';
import type { McpAnswer } from '../../../../src/shared/ports/mcp.ts';
import { createGuardedFetch } from '../../../../src/shared/security/guarded-fetch.ts';
import { createNamedSecrets } from '../../../../src/shared/security/named-secrets.ts';
import { startHttpServer } from '../../../support/servers/http-server.ts';
import { startSseServer } from '../../../support/servers/mcp-sse-server.ts';
import { startMcpServer } from '../../../support/servers/mcp-server.ts';
import { freePort } from '../../../support/servers/ports.ts';

const SCRIPT = fileURLToPath(
  new URL('../../../support/servers/mcp-stdio-server.ts', import.meta.url),
);
const logs = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
test.after.always(() => rmSync(logs, { recursive: true }));

const ENV: Record<string, string> = {
  SVC_SECRET_MCP: 'mcp-token-1',
  SVC_SECRET_ID: 'client',
  SVC_SECRET_PASS: 'pass word',
  SVC_ENCRYPTION_KEY: 'never',
  FILES_TOKEN: 'files-token',
};
const TENANT = 'acme' as TenantId;

for (const sessions of [false, true]) {
  const kind = sessions ? 'with sessions, of 2025' : 'without sessions, of both revisions';

  test(`a server ${kind} is called with arguments and key, and its answer comes back`, async (t) => {
    const server = await startMcpServer({ sessions });
    const { call } = open(t);
    const part = http(server.url);
    const echoed = await call({ part, tool: 'echo', args: { a: 1 } });
    t.like(echoed, { ok: true, isError: false, structured: { args: { a: 1 } } });
    t.deepEqual(server.calls, [{ tool: 'echo', args: { a: 1 }, idempotencyKey: 'the-key' }]);
    t.like(await call({ part, tool: 'text' }), {
      structured: undefined,
      content: [{ type: 'text', text: 'plain words' }],
    });
    t.like(await call({ part, tool: 'fail' }), { ok: true, isError: true });
    t.deepEqual(await call({ part, tool: 'nobody' }), {
      ok: false,
      error: 'the MCP server "s" refused the arguments of "nobody", or has no such tool',
      errorClass: 'invalid_input',
      final: true,
    });
    await server.close();
  });

  test(`a server ${kind}: a result that is too large is cut off`, async (t) => {
    const server = await startMcpServer({ sessions });
    const { call } = open(t);
    const part = http(server.url);
    for (const bytes of [200_000, 3_000_000]) {
      const answer = await call({ part, tool: 'big', args: { bytes } });
      t.like(answer, { ok: false, errorClass: 'too_large', final: true });
    }
    t.like(await call({ part, tool: 'text' }), { ok: true });
    await server.close();
  });

  test(`a server ${kind}: a call ends with its time or with its caller`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const server = await startMcpServer({ sessions, onCall: () => asked.resolve() });
    const { call } = open(t);
    const part = http(server.url);
    t.like(await call({ part, tool: 'hang', timeoutMs: 100 }), {
      ok: false,
      errorClass: 'timeout',
    });
    const controller = new AbortController();
    const hanging = call({ part, tool: 'hang', signal: controller.signal });
    await asked.promise;
    controller.abort();
    t.like(await hanging, { ok: false, error: 'the call was given up' });
    await server.close();
  });

  test(`a server ${kind}: one that was restarted is called on a new session`, async (t) => {
    const server = await startMcpServer({ sessions });
    const { call } = open(t);
    const part = http(server.url);
    t.like(await call({ part, tool: 'text' }), { ok: true });
    server.forgetSessions();
    t.like(await call({ part, tool: 'text' }), { ok: true });
    t.is(server.calls.length, 2);
    await server.close();
    t.like(await call({ part, tool: 'text' }), { ok: false, errorClass: 'unreachable' });
  });
}

test('a server of the transport of 2024 is called too', async (t) => {
  const server = await startSseServer();
  const { call } = open(t);
  const auth = { type: 'bearer', tokenEnv: 'SVC_SECRET_MCP' } as const;
  const part = { ...http(`${server.url}/sse`, auth), transport: 'http_sse' } as const;
  const answers = await Promise.all(['a', 'b'].map((tool) => call({ part, tool })));
  for (const [index, tool] of ['a', 'b'].entries()) {
    t.like(answers[index], { ok: true, content: [{ type: 'text', text: tool }] });
  }
  t.is(server.requests.filter(({ method }) => method === 'GET').length, 1);
  t.true(server.requests.every(({ headers }) => headers.authorization === 'Bearer mcp-token-1'));
  await server.close();
});

test('one session serves calls at the same time, and no stream is held between them', async (t) => {
  const server = await startMcpServer({ sessions: true });
  const { call } = open(t);
  const part = http(server.url);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => call({ part, tool: 'echo', args: { n } })),
  );
  t.deepEqual(
    answers.map((answer) => (answer.ok ? answer.structured : answer)),
    answers.map((_, n) => ({ args: { n } })),
  );
  const sessions = new Set(server.requests.map(({ headers }) => headers['mcp-session-id']));
  t.is([...sessions].filter((id) => id !== undefined).length, 1);
  t.true(server.requests.every(({ method }) => method === 'POST'));
  await server.close();
});

test('tenants never share a session', async (t) => {
  const server = await startMcpServer({ sessions: true });
  const { call } = open(t);
  const part = http(server.url);
  await call({ part, tool: 'text' });
  await call({ part, tool: 'text', tenantId: 'other' as TenantId });
  const sessions = new Set(server.requests.map(({ headers }) => headers['mcp-session-id']));
  t.is([...sessions].filter((id) => id !== undefined).length, 2);
  await server.close();
});

test('an idle session is closed, and so is the one that waited longest when there are too many', async (t) => {
  const pids = async (options: Parameters<typeof open>[1], runs: readonly string[]) => {
    const { call } = open(t, options);
    const found: unknown[] = [];
    for (const name of runs) {
      const answer = await call({ part: stdio(name), tool: 'env' });
      t.true(answer.ok);
      found.push(lastCall(name)['pid']);
    }
    return found;
  };
  const [a, b, again] = await pids({ sessionsMax: 1 }, ['one', 'two', 'one']);
  t.not(a, again);
  t.not(a, b);
  const [c, , kept] = await pids({ sessionsMax: 2 }, ['one', 'two', 'one']);
  t.is(c, kept);
});

const HOSTILE: readonly (readonly [string, RequestListener, string])[] = [
  ['HTML', (_, response) => answer(response, 'text/html', '<p>secret detail'), 'invalid_response'],
  ['broken JSON', (_, response) => answer(response, 'application/json', '{'), 'invalid_response'],
  ['a 500', (_, response) => void response.writeHead(500).end('secret detail'), 'http_5xx'],
  ['a 401', (_, response) => void response.writeHead(401).end('secret detail'), 'unauthorized'],
  ['a 404', (_, response) => void response.writeHead(404).end('secret detail'), 'http_4xx'],
  ['a 429', (_, response) => void response.writeHead(429).end('secret detail'), 'rate_limited'],
  [
    'a redirect to the metadata service',
    (_, response) => void response.writeHead(307, { Location: 'http://169.254.169.254/' }).end(),
    'invalid_response',
  ],
  ['an endless body', (_, response) => pour(response, 'application/json'), 'too_large'],
  ['endless events', (_, response) => pour(response, 'text/event-stream'), 'too_large'],
  ['a closed door', (request) => void request.destroy(), 'unreachable'],
];

for (const [what, listener, errorClass] of HOSTILE) {
  test(`a server that answers with ${what} is reported by its class, in our words`, async (t) => {
    const server = await startHttpServer(listener);
    const answered = await open(t).call({ part: http(server.url), tool: 'echo' });
    t.like(answered, { ok: false, errorClass });
    t.notRegex(answered.ok ? '' : answered.error, /secret detail|169\.254/);
    await server.close();
  });
}

test('a result that no state can hold is refused before anything walks through it', async (t) => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  for (const structured of [
    `{"list":${deep}}`,
    '{"constructor":1}',
    '{"n":1e300}',
    '{"t":"a\\u0000"}',
  ]) {
    const server = await startHttpServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { id, method } = JSON.parse(body === '' ? '{}' : body) as JsonObject;
        if (id === undefined) return response.writeHead(202).end();
        const result = resultOf(method ?? null, structured);
        answer(
          response,
          'application/json',
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${result}}`,
        );
      });
    });
    const part = http(server.url, { type: 'bearer', tokenEnv: 'SVC_SECRET_MCP' });
    const answered = await open(t).call({ part, tool: 'deep' });
    t.like(answered, { ok: false, errorClass: 'invalid_response' }, structured.slice(0, 40));
    t.regex(answered.ok ? '' : answered.error, /its result holds/);
    await server.close();
  }
});

function resultOf(method: JsonValue, structured: string): string {
  const about = '"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}';
  if (method === 'initialize') return `"result":{${about},"capabilities":{"tools":{}}}`;
  if (method === 'tools/call') return `"result":{"content":[],"structuredContent":${structured}}`;
  return '"error":{"code":-32601,"message":"no"}';
}

test('nobody there, and an address that may not be reached', async (t) => {
  const { call } = open(t);
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  t.like(await call({ part: http(nobody), tool: 'x' }), { ok: false, errorClass: 'unreachable' });
  const metadata = await call({ part: http('http://169.254.169.254/mcp'), tool: 'x' });
  t.like(metadata, { ok: false, errorClass: 'refused_address', final: true });
  const strict = open(t, { allowPrivate: false });
  const loopback = await strict.call({ part: http(nobody), tool: 'x' });
  t.like(loopback, { ok: false, errorClass: 'refused_address', final: true });
});

test('a bearer and an API key are read for each call, and kept out of the result', async (t) => {
  const env = { ...ENV };
  const server = await startMcpServer();
  const { call } = open(t, { env });
  const bearer = http(server.url, { type: 'bearer', tokenEnv: 'SVC_SECRET_MCP' });
  const answer = await call({ part: bearer, tool: 'echo', args: { said: 'mcp-token-1!' } });
  t.like(answer, { structured: { args: { said: '[secret SVC_SECRET_MCP]!' } } });
  env['SVC_SECRET_MCP'] = 'mcp-token-2';
  await call({ part: bearer, tool: 'text' });
  const key = http(server.url, { type: 'api_key', header: 'X-Key', keyEnv: 'SVC_SECRET_MCP' });
  await call({ part: key, tool: 'text' });
  const sent = server.requests.map(({ headers }) => headers.authorization ?? headers['x-key']);
  t.is(sent[0], 'Bearer mcp-token-1');
  t.deepEqual([...new Set(sent)], ['Bearer mcp-token-1', 'Bearer mcp-token-2', 'mcp-token-2']);
  await server.close();
});

test('a secret that the tenant may not name is refused before anything is sent', async (t) => {
  const server = await startMcpServer();
  const part = http(server.url, { type: 'bearer', tokenEnv: 'SVC_ENCRYPTION_KEY' });
  const answer = await open(t).call({ part, tool: 'text' });
  t.like(answer, { ok: false, errorClass: 'unauthorized', final: true });
  t.regex(answer.ok ? '' : answer.error, /"SVC_ENCRYPTION_KEY" may not be used/);
  t.is(server.requests.length, 0);
  await server.close();
});

test('a token of OAuth is fetched once, and again when it is turned down', async (t) => {
  const given: string[] = [];
  const bodies: string[] = [];
  const issuer = await startHttpServer((request, response) => {
    given.push(`token-${given.length + 1}`);
    request.setEncoding('utf8').on('data', (chunk: string) => void bodies.push(chunk));
    answer(response, 'application/json', JSON.stringify({ access_token: given.at(-1) }));
  });
  let valid = 'Bearer token-1';
  const server = await startMcpServer({
    admit: ({ headers }) => (headers.authorization === valid ? null : 401),
  });
  const { call } = open(t);
  const part = http(server.url, oauth(`${issuer.url}/token`));
  t.like(await call({ part, tool: 'text' }), { ok: true });
  const echoed = await call({ part, tool: 'echo', args: { said: valid } });
  // A token is a secret, too, although no setting names it.
  t.like(echoed, { ok: true, structured: { args: { said: 'Bearer [secret access token]' } } });
  t.is(given.length, 1);
  const basic = issuer.requests[0]?.headers.authorization?.split(' ')[1] ?? '';
  t.is(Buffer.from(basic, 'base64').toString(), 'client:pass%20word');
  valid = 'Bearer token-2';
  t.like(await call({ part, tool: 'text' }), { ok: true });
  t.is(given.length, 2);
  t.is(bodies[0], 'grant_type=client_credentials');
  await Promise.all([server.close(), issuer.close()]);
});

test('an issuer that gives no token is not told word for word', async (t) => {
  const issuer = await startHttpServer((_, response) => {
    response.writeHead(400).end('{"error": "secret detail"}');
  });
  const server = await startMcpServer();
  const answered = await open(t).call({ part: http(server.url, oauth(issuer.url)), tool: 'text' });
  t.like(answered, { ok: false, errorClass: 'unauthorized', final: true });
  t.notRegex(answered.ok ? '' : answered.error, /secret detail|pass word/);
  t.is(server.requests.length, 0);
  await Promise.all([server.close(), issuer.close()]);
});

test('a command of the list is started once, and without our environment', async (t) => {
  const { call } = open(t);
  const first = await call({ part: stdio('env'), tool: 'env' });
  const structured = (first.ok ? first.structured : {}) as JsonObject;
  t.truthy(structured['PATH']);
  for (const name of Object.keys(structured)) {
    t.true(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'].includes(name), name);
  }
  const { pid } = lastCall('env');
  t.like(await call({ part: stdio('env'), tool: 'echo', args: { a: 1 } }), { ok: true });
  t.like(lastCall('env'), { pid, tool: 'echo', args: { a: 1 }, idempotencyKey: 'the-key' });
});

test('a command that is not of the list word for word is not started', async (t) => {
  const { call } = open(t);
  for (const part of [
    { ...stdio('x'), command: 'sh', args: ['-c', 'touch /tmp/x'] },
    { ...stdio('x'), args: [...stdio('x').args, '--more'] },
    { ...stdio('x'), command: `${process.execPath} ${SCRIPT}`, args: [] },
    { ...stdio('x'), args: [`${SCRIPT} ${join(logs, 'one')}`] },
    { ...stdio('x'), command: '' },
  ]) {
    const answered = await call({ part, tool: 'x' });
    t.like(answered, { ok: false, errorClass: 'unauthorized', final: true }, part.args.join(' '));
  }
});

test('a command that dies fails the call, and is started again for the next', async (t) => {
  const { call } = open(t);
  const died = await call({ part: stdio('one'), tool: 'exit' });
  t.like(died, { ok: false, errorClass: 'unreachable' });
  t.like(await call({ part: stdio('one'), tool: 'text' }), { ok: true });
  const big = await call({ part: stdio('one'), tool: 'big', args: { bytes: 3_000_000 } });
  t.like(big, { ok: false, errorClass: 'too_large' });
  t.like(await call({ part: stdio('one'), tool: 'text' }), { ok: true });
});

test('a configured server exists by its name, for its tenants, with its own variables', async (t) => {
  const servers: McpServerSetting[] = [
    {
      name: 'files',
      tenants: ['acme'],
      server: { transport: 'stdio', command: [process.execPath, SCRIPT], env: ['FILES_TOKEN'] },
    },
  ];
  const { call } = open(t, { servers });
  const answered = await call({ part: null, server: 'files', tool: 'env' });
  // The caller knows the server's own secret, and removes it from the answer.
  t.like(answered, { ok: true, structured: { FILES_TOKEN: '[secret FILES_TOKEN]' } });
  for (const [server, tenantId] of [
    ['files', 'other' as TenantId],
    ['nobody', TENANT],
  ] as const) {
    const refused = await call({ part: null, server, tool: 'env', tenantId });
    t.like(refused, { ok: false, errorClass: 'unsupported', final: true });
  }
});

test('a command that hangs is started again for the next call', async (t) => {
  const { call } = open(t);
  const hung = await call({ part: stdio('two'), tool: 'hang', timeoutMs: 100 });
  t.like(hung, { ok: false, errorClass: 'timeout' });
  const before = lastCall('two')['pid'];
  t.like(await call({ part: stdio('two'), tool: 'text' }), { ok: true });
  t.not(lastCall('two')['pid'], before);
});

test('closing ends calls under way and the commands', async (t) => {
  const { call, caller } = open(t);
  await call({ part: stdio('two'), tool: 'text' });
  const pid = Number(lastCall('two')['pid']);
  const hanging = call({ part: stdio('two'), tool: 'hang' });
  // An answer to a later call on the same pipe proves that the hanging call was sent.
  await call({ part: stdio('two'), tool: 'text' });
  await caller.close();
  t.like(await hanging, { ok: false, errorClass: 'unreachable' });
  t.throws(() => process.kill(pid, 0));
  t.like(await call({ part: stdio('two'), tool: 'text' }), { ok: false });
});

function open(
  t: ExecutionContext,
  options: {
    readonly servers?: readonly McpServerSetting[];
    readonly env?: Readonly<Record<string, string>>;
    readonly allowPrivate?: boolean;
    readonly sessionsMax?: number;
  } = {},
) {
  const { servers = [], env = ENV, allowPrivate = true, sessionsMax } = options;
  const caller = createMcpCaller({
    servers,
    env,
    stdioCommands: ['one', 'two', 'env'].map((name) =>
      [process.execPath, ...stdio(name).args].join(' '),
    ),
    secrets: createNamedSecrets({ patterns: ['SVC_SECRET_*'], env, reserved: [] }),
    fetch: createGuardedFetch({
      allowPrivate,
      redirects: 'same_origin',
      responseBytesMax: 1_000_000,
    }),
    version: '0.0.0',
    now: () => performance.now(),
    messageBytesMax: 1_000_000,
    ...(sessionsMax !== undefined && { sessionsMax }),
  });
  t.teardown(() => caller.close());
  const call = (params: {
    readonly part: McpServerPart | null;
    readonly tool: string;
    readonly server?: string;
    readonly args?: JsonObject;
    readonly tenantId?: TenantId;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<McpAnswer> =>
    caller.callTool({
      tenantId: params.tenantId ?? TENANT,
      server: { name: params.server ?? 's', part: params.part },
      tool: params.tool,
      arguments: params.args ?? {},
      idempotencyKey: 'the-key',
      timeoutMs: params.timeoutMs ?? 10_000,
      resultBytesMax: 100_000,
      signal: params.signal ?? new AbortController().signal,
    });
  return { call, caller };
}

function http(url: string, auth: AuthPart | null = null): McpServerPart {
  return { name: 's', transport: 'streamable_http', url, command: null, args: [], auth };
}

/** A server that writes its calls to a file of this name. */
function stdio(name: string): McpServerPart {
  const args = [SCRIPT, join(logs, name)];
  return { name, transport: 'stdio', url: null, command: process.execPath, args, auth: null };
}

function lastCall(name: string): JsonObject {
  const lines = readFileSync(join(logs, name), 'utf8').trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as JsonObject;
}

function oauth(tokenUrl: string): AuthPart {
  return {
    type: 'oauth2',
    clientIdEnv: 'SVC_SECRET_ID',
    clientSecretEnv: 'SVC_SECRET_PASS',
    tokenUrl,
  };
}

function answer(response: Parameters<RequestListener>[1], type: string, body: string): void {
  response.writeHead(200, { 'Content-Type': type }).end(body);
}

function pour(response: Parameters<RequestListener>[1], type: string): void {
  response.writeHead(200, { 'Content-Type': type });
  const send = () => {
    while (!response.destroyed && response.write(`: ${'x'.repeat(16_384)}\n\n`));
  };
  response.on('drain', send);
  send();
}
