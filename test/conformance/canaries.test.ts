import { randomBytes } from 'node:crypto';
import test from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../support/database.ts';
import { startEmbeddingProvider } from '../support/servers/embedding-provider.ts';
import { freePort } from '../support/servers/ports.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { readTables } from '../support/stores.ts';

/*
 * Places secrets of every kind in correct and incorrect fields. Afterwards nothing readable
 * contains them: answers, the log at its most detailed level, metrics, the database.
 */

/** Each has the form of a real secret; the word makes it easy to find. */
const CANARY = {
  apiKey: `canary-key-${randomBytes(12).toString('hex')}`,
  providerKey: `sk-canary-${randomBytes(12).toString('hex')}`,
  encryptionKey: randomBytes(32).toString('base64'),
  guessedToken: `svc_canary${randomBytes(24).toString('hex')}`.slice(0, 47),
  otherScheme: `canary-basic-${randomBytes(12).toString('hex')}`,
  cookie: `canary-cookie-${randomBytes(12).toString('hex')}`,
  inUrl: `canary-url-${randomBytes(12).toString('hex')}`,
  toolSecret: `canary-tool-${randomBytes(12).toString('hex')}`,
  modelKey: `sk-canary-model-${randomBytes(12).toString('hex')}`,
  collectorKey: `canary-collector-${randomBytes(12).toString('hex')}`,
  payload: `canary-payload-${randomBytes(12).toString('hex')}`,
};
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: no secret is found anywhere but where it belongs`, async (t) => {
    t.timeout(120_000);
    const database = await createTestDatabase(dialect);
    const provider = await startEmbeddingProvider();
    const metricsPort = await freePort();
    const runtime = await startRuntime({
      databaseUrl: database.url,
      apiKey: CANARY.apiKey,
      env: {
        SVC_LOG_LEVEL: 'trace',
        SVC_TELEMETRY_METRICS_PORT: String(metricsPort),
        SVC_ENCRYPTION_KEY: CANARY.encryptionKey,
        SVC_MEMORY_EMBEDDING_BASE_URL: provider.url,
        SVC_SECRET_SHOP: CANARY.toolSecret,
        OPENAI_API_KEY: CANARY.modelKey,
        OPENAI_BASE_URL: NOWHERE,
        SVC_TELEMETRY_OTLP_ENDPOINT: NOWHERE,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${CANARY.collectorKey}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      },
    });
    const answers: string[] = [];
    const minted = await useEverything(runtime, answers);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const code = await runtime.end('SIGTERM');
    const tables = JSON.stringify(await readTables(database.url));
    await provider.close();
    await database.drop();

    t.is(code, 0);
    const log = runtime.stdout() + runtime.stderr();
    t.true(log.includes('"level":'), 'the log is read');
    t.true(log.includes('"msg":"attempt failed"'), 'failures are in it');
    t.true(log.includes('traces cannot be exported'), 'the collector was tried');
    t.true(metrics.includes('svc_http_requests'), 'the metrics are read');
    t.true(tables.includes('canary-workflow'), 'the tables are read');
    const { payload, ...secrets } = CANARY;
    const everywhere = { ...secrets, minted: minted.first, rotated: minted.second };
    for (const [name, secret] of Object.entries(everywhere)) {
      t.false(log.includes(secret), `${name} stands in the log: ${lineWith(log, secret)}`);
      t.false(metrics.includes(secret), `${name} stands in the metrics`);
      t.false(tables.includes(secret), `${name} stands in the database`);
      for (const answer of answers) {
        t.false(answer.includes(secret), `${name} stands in an answer: ${answer}`);
      }
    }
    // Readers of an execution may see its input; readers of the log may not.
    t.false(log.includes(payload), `the payload stands in the log: ${lineWith(log, payload)}`);
    t.false(metrics.includes(payload));
  });
}

/** Collects all answers in `answers`, except the two that must contain a new token. */
async function useEverything(
  runtime: Runtime,
  answers: string[],
): Promise<{ readonly first: string; readonly second: string }> {
  const send = async (
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<JsonObject> => {
    const { body, headers = {} } = options;
    const response = await fetch(`${runtime.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${CANARY.apiKey}`,
        cookie: `session=${CANARY.cookie}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const heads = [...response.headers].flat().join(' ');
    const answer = JSON.parse(text === '' ? '{}' : text) as JsonObject;
    if (answer['token'] === undefined)
      answers.push(`${method} ${path.split('?')[0]}: ${heads} ${text}`);
    return answer;
  };

  const created = await send('POST', '/tokens', { body: { name: 'canary', role: 'operator' } });
  const first = textOf(created, 'token');
  const authorization = `Bearer ${first}`;
  await send('GET', '/executions', { headers: { authorization } });
  const rotated = await send('POST', `/tokens/${textOf(created, 'token_id')}/rotate`);
  const second = textOf(rotated, 'token');
  await send('GET', '/executions', { headers: { authorization } });
  await send('GET', '/tokens');

  for (const wrong of [
    `Bearer ${CANARY.guessedToken}`,
    `Basic ${CANARY.otherScheme}`,
    `Bearer ${CANARY.otherScheme} ${CANARY.otherScheme}`,
    CANARY.otherScheme,
  ]) {
    await send('GET', '/executions', { headers: { authorization: wrong } });
    await send('POST', '/workflows', { headers: { authorization: wrong }, body: '{' });
  }
  await send('GET', `/executions?access_token=${CANARY.inUrl}`);
  await send('GET', `/unknown?token=${CANARY.inUrl}`);
  await send('PUT', `/executions?api_key=${CANARY.inUrl}`);

  await send('POST', '/v1/memory/settings', {
    body: { provider: 'openai', api_key: CANARY.providerKey },
  });
  await send('GET', '/v1/memory/settings');
  await send('POST', '/v1/memory/settings/test', { body: {} });
  await send('POST', '/v1/memory/add', { body: { content: 'a fact' } });
  await send('POST', '/v1/memory/settings', {
    body: { provider: 'unknown', api_key: CANARY.providerKey },
  });
  await send('POST', '/agents/discover', {
    body: { url: `http://user:${CANARY.inUrl}@127.0.0.1:1/` },
  });

  const kind = { type: 'python_fn', module: 'm', function: 'f' };
  const ir = { workflow_id: 'canary-workflow', nodes: { work: { kind } } };
  await send('POST', '/workflows', { body: { ir } });
  const input = { password: CANARY.payload, text: CANARY.payload };
  await send('POST', '/executions', { body: { workflow_id: 'canary-workflow', input } });
  await send('POST', '/executions', { body: `{"input": {"text": "${CANARY.payload}"` });
  await send('POST', '/executions', {
    body: { workflow_id: 'canary-workflow', input: { text: CANARY.payload, n: 2 ** 60 } },
  });
  const claimed = await send('POST', '/work-items/claim', {
    body: { worker_id: 'w', queue_types: ['python_tool'], wait_ms: 5_000 },
  });
  const item = claimed['work_item'] as JsonObject;
  await send('POST', `/work-items/${textOf(item, 'id')}/complete`, {
    body: {
      lease_fence: item['lease_fence'],
      idempotency_key: item['idempotency_key'],
      output: { text: CANARY.payload },
      state_patch: { text: CANARY.payload },
    },
  });
  await send('GET', `/executions/${textOf(item, 'execution_id')}`);
  for (const workflowId of await registerFailing(send)) {
    const body = { workflow_id: workflowId, input: { text: CANARY.payload } };
    const id = textOf(await send('POST', '/executions', { body }), 'execution_id');
    await send('GET', `/executions/${id}/explain`);
    if (workflowId === 'canary-work') await failOne(send);
    await untilEnded(runtime, id);
  }
  await send('GET', '/audit');
  return { first, second };
}

type Send = (
  method: string,
  path: string,
  options?: { readonly body?: unknown },
) => Promise<JsonObject>;

/** Workflows that fail where they use a secret, or whose worker reports the failure. */
async function registerFailing(send: Send): Promise<readonly string[]> {
  const once = { max_attempts: 1 };
  const tools = {
    charge: {
      kind: 'http',
      reference: `${NOWHERE}/charge`,
      headers: { authorization: 'Bearer ${secret:SVC_SECRET_SHOP}' },
    },
  };
  const irs = {
    'canary-tool': { tools, nodes: { a: { kind: { type: 'tool', tool_ref: 'charge' } } } },
    'canary-model': {
      nodes: {
        a: {
          kind: {
            type: 'model',
            model: { provider: 'openai', model: 'm' },
            prompt: '{{ state.text }}',
          },
        },
      },
    },
    'canary-work': { nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } } },
  };
  for (const [workflowId, ir] of Object.entries(irs)) {
    const nodes = { a: { ...ir.nodes.a, retry_policy: once } };
    await send('POST', '/workflows', { body: { ir: { ...ir, nodes, workflow_id: workflowId } } });
  }
  return Object.keys(irs);
}

async function failOne(send: Send): Promise<void> {
  const body = { worker_id: 'w', queue_types: ['python_tool'], wait_ms: 5_000 };
  const { work_item: item } = await send('POST', '/work-items/claim', { body });
  const { lease_fence: fence } = item as JsonObject;
  await send('POST', `/work-items/${textOf(item as JsonObject, 'id')}/fail`, {
    body: { error: `cannot charge ${CANARY.payload}`, lease_fence: fence },
  });
}

/** The stream of events ends with the execution. */
async function untilEnded(runtime: Runtime, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${CANARY.apiKey}`, accept: 'text/event-stream' };
  await (await fetch(`${runtime.url}/executions/${id}/events`, { headers })).text();
}

/** A text that the answer must contain. */
function textOf(answer: JsonObject, field: string): string {
  const value = answer[field];
  if (typeof value !== 'string') throw new TypeError(`${field} is ${JSON.stringify(value)}`);
  return value;
}

function lineWith(log: string, secret: string): string {
  return log.split('\n').find((line) => line.includes(secret)) ?? '';
}
