import test, { type ExecutionContext } from 'ava';
import {
  createWorker,
  defineFunction,
  defineTool,
  silentLogger,
  type Logger,
  type WorkerOptions,
} from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { freePort } from '../../support/servers/ports.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import { until } from '../support/with-worker.ts';

/* A worker reports that the runtime is away, refuses it, or ignores a part of a function. */

const check = onBothStores();
const url = 'http://svc.test';
const tools = [defineTool('a.b', () => ({}))];
const logger = silentLogger;

const refusals: readonly (readonly [
  string,
  { readonly status: number; readonly body: unknown; readonly token?: string },
  RegExp,
])[] = [
  [
    'without a token',
    { status: 401, body: { error: 'unauthorized' } },
    /svc.test refuses the worker \(401\): unauthorized. No token was sent; pass createWorker/,
  ],
  [
    'with a wrong token',
    { status: 401, body: { error: 'unauthorized' }, token: 'secret' },
    /The token may be revoked, expired, or of another runtime. Make one with "svc token create --name NAME --role worker"$/,
  ],
  [
    'with a token of another role',
    { status: 403, body: { error: 'forbidden: role viewer' }, token: 'secret' },
    /role viewer. A worker needs a token with the role worker/,
  ],
  [
    'with the address of something else',
    { status: 404, body: { error: 'Not Found' } },
    /what answers at http:..svc.test is not svc \(status 404\); check the address and the port/,
  ],
];

for (const [what, { status, body, token }, message] of refusals) {
  test(`a worker ${what} learns what to do`, async (t) => {
    const fetch = async () => Response.json(body, { status });
    const worker = createWorker({
      url,
      tools,
      fetch,
      logger,
      ...(token !== undefined && { token }),
    });
    await t.throwsAsync(worker.run(), { name: 'WorkerRefusedError', message });
  });
}

check('a worker of an unknown tenant learns its name', async (t, _, place) => {
  const { url: at, apiKey: token } = place.runtime;
  const worker = createWorker({ url: at, token, tenantId: 'nobody', tools, logger });
  await t.throwsAsync(worker.run(), {
    message:
      `${at} refuses the worker (404): not found: tenant nobody. ` +
      'Create it with "svc tenant create", or correct createWorker({ tenantId })',
  });
});

check('a worker whose token is of another tenant learns to name none', async (t, tenant, place) => {
  const { url: at } = place.runtime;
  const { token } = await makeToken(tenant);
  const worker = createWorker({ url: at, token, tenantId: 'default', tools, logger });
  await t.throwsAsync(worker.run(), {
    message:
      /operator of tenant default required. Leave createWorker\(\{ tenantId \}\) out, or pass a token of the tenant default$/,
  });
});

check(
  'a worker whose token is revoked says so once, and claims no more',
  async (t, tenant, place) => {
    const { token, token_id: id } = await makeToken(tenant);
    const functions = ['one', 'two'].map((name) => defineFunction(name, () => {}));
    let claims = 0;
    const counting: typeof fetch = (input, init) => {
      if (new Request(input, init).url.endsWith('/claim')) claims += 1;
      return fetch(input, init);
    };
    const lines: string[] = [];
    const note = (fields: object, message: string) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const worker = createWorker({
      url: place.runtime.url,
      token,
      functions,
      fetch: counting,
      logger: { debug: note, info: note, warn: note, error: note },
    });
    const refused = t.throwsAsync(worker.run(), {
      name: 'WorkerRefusedError',
      message: /refuses the worker \(401\): invalid or expired token. The token may be revoked/,
    });
    await until('a claim', () => claims > 0);
    expectStatus(await tenant.send({ method: 'DELETE', path: `/tokens/${id}` }), 200);
    await refused;
    t.true(claims <= 2, `${claims}`);
    t.deepEqual(
      lines.map((line) => line.replace(/ \{"worker_id.*/, '')),
      [
        'the token may not register functions: register them once with a token of the role developer ' +
          'or operator {"functions":["one","two"]}',
        'the worker claims',
        'the worker has stopped',
      ],
    );
  },
);

test('a worker says what to check while nothing answers', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const lines = runLogged(t, { url: nobody, tools });
  await until('it has failed', () => lines.length > 1);
  t.regex(
    lines[1] ?? '',
    /cannot claim, trying again .*no answer from http.*ECONNREFUSED.*start it with \\"svc dev\\"/,
  );
});

test('a worker says again, with how long it has tried, that nothing answers', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const functions = [defineFunction('one', () => {})];
  const options = { url: nobody, tools, functions };
  const registering = runLogged(t, options);
  const claiming = runLogged(t, { ...options, register: false });
  await until('a later line', () => registering.length > 1 && claiming.length > 2);
  t.regex(registering[0] ?? '', /^cannot register, trying again .*no answer.*"\}$/);
  t.regex(registering[1] ?? '', /^cannot register, trying again .*no answer.*"tried_for_s":\d+\}$/);
  t.regex(claiming[2] ?? '', /^cannot claim, trying again .*no answer.*"tried_for_s":\d+\}$/);
});

test('a worker asks without waiting whether the runtime is back', async (t) => {
  const claims: { wait_ms: number; claim_id: string; repeated?: boolean }[] = [];
  const lines = runLogged(t, {
    url,
    tools,
    fetch: async (_, init) => {
      claims.push(JSON.parse(init?.body as string) as (typeof claims)[0]);
      return Response.json({ work_item: null }, { status: claims.length === 1 ? 503 : 200 });
    },
  });
  await until('an answer', () => lines.some((line) => line.includes('answers again')));
  const [first, second] = claims;
  t.true((first?.wait_ms ?? 0) > 0);
  t.like(second, { wait_ms: 0, repeated: true, claim_id: first?.claim_id ?? '' });
});

check('a worker logs what the runtime ignores in a function', async (t, tenant, place) => {
  const retryPolicy = { max_attemps: 3 };
  const lines = runLogged(t, {
    url: place.runtime.url,
    token: place.runtime.apiKey,
    tenantId: tenant.tenantId,
    functions: [defineFunction('typo', () => {}, { retryPolicy })],
  });
  await until('the worker claims', () => lines.some((line) => line.includes('claims')));
  t.regex(
    lines[0] ?? '',
    /did you mean "max_attempts".*"pointer":"\/nodes\/run\/retry_policy\/max_attemps"/,
  );
});

async function makeToken(tenant: TestTenant) {
  type Made = { readonly token: string; readonly token_id: string };
  return expectStatus(await tenant.post<Made>('/tokens', { name: 'w', role: 'worker' }), 201);
}

/** Runs a worker until the test ends, and gives the lines that it logs. */
function runLogged(t: ExecutionContext, options: WorkerOptions): readonly string[] {
  const lines: string[] = [];
  const note = (fields: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const noting: Logger = { debug: note, info: note, warn: note, error: note };
  const worker = createWorker({ ...options, logger: noting });
  worker.run().catch(() => undefined);
  t.teardown(() => worker.stop({ deadlineMs: 0 }));
  return lines;
}
