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
    /The token may be revoked, expired, or of another runtime/,
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
    message: `${at} refuses the worker (404): not found: tenant nobody`,
  });
});

test('a worker says what to check while nothing answers', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const lines = runLogged(t, { url: nobody, tools });
  await until('it has failed', () => lines.length > 1);
  t.regex(
    lines[1] ?? '',
    /cannot claim, trying again .*no answer from http.*ECONNREFUSED.*start it with \\"svc dev\\"/,
  );
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
