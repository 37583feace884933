import test, { type ExecutionContext } from 'ava';

import { hashJson } from '../../../src/shared/domain/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import type { ExecutionDocument } from '../../../src/shared/domain/execution/document/execution-document.ts';
import { verifyAudit } from '../../../src/shared/engine/audit/verify-audit.ts';
import type { Dialect } from '../../support/database.ts';
import { tamperWith } from '../../support/stores.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { claim, startWorkflow, waiting } from '../support/workflows.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const IMPORT = '/executions/import';

/** Two calls; the second fails without a retry. */
const CHAIN: JsonObject = {
  workflow_id: 'chain',
  version: '1',
  nodes: {
    first: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } },
    second: {
      kind: { type: 'python_fn', module: 'shop', function: 'charge' },
      retry_policy: { max_attempts: 1 },
    },
  },
  edges: [{ from: 'first', to: 'second' }],
};

for (const from of DIALECTS) {
  const to = from === 'sqlite' ? 'postgres' : 'sqlite';

  test(`201: an execution that ended on ${from} is read on ${to}, and retried there`, async (t) => {
    const [there, here] = [await open(t, from), await open(t, to)];
    const id = await failOne(there);
    const document = await exportOf(there, id);
    const answer = await here.call({ path: IMPORT, body: document });
    t.is(answer.status, 201, answer.error);
    t.deepEqual(answer.body, {
      execution_id: id,
      status: 'failed',
      events: (document['events'] as readonly JsonValue[]).length,
      imported: true,
      restored: false,
      missing_artifacts: [],
    });
    for (const path of ['/events', '/explain', '/approvals']) {
      const [was, is] = await Promise.all(
        [there, here].map((api) => api.call({ path: `/executions/${id}${path}` })),
      );
      t.deepEqual(withoutClock(is?.body), withoutClock(was?.body));
    }
    const [was, is] = await Promise.all(
      [there, here].map((api) => api.call({ path: `/executions/${id}` })),
    );
    t.like(is?.body['imported'], { actor_id: 'token:test operator', sha256: document['sha256'] });
    t.deepEqual({ ...is?.body, imported: null }, { ...was?.body });
    const listed = await here.call({ path: '/executions' });
    t.deepEqual(listed.body['executions'], [
      {
        ...(was && summaryOf(was.body)),
        imported: is?.body['imported'],
        error_class: 'declined',
        error_node_id: 'second',
        awaiting_approval: null,
      },
    ]);
    for (const [errorClass, count] of [
      ['declined', 1],
      ['error', 0],
    ] as const) {
      const query = `?q=${encodeURIComponent(`error_class = ${errorClass}`)}`;
      const found = await here.call({ path: `/executions${query}` });
      t.is((found.body['executions'] as readonly JsonValue[]).length, count);
      const failures = await here.call({ path: `/failures${query}` });
      t.is((failures.body['groups'] as readonly JsonValue[]).length, count);
    }
    const again = await exportOf(here, id);
    t.deepEqual(again, {
      ...document,
      execution: { ...(document['execution'] as JsonObject), tenant_id: 'default' },
      recorded_outputs: [],
      snapshot: null,
      sha256: again['sha256'] ?? null,
    });

    const retried = await here.call({ method: 'POST', path: `/executions/${id}/retry` });
    t.is(retried.status, 201, retried.error);
    const next = textOf(retried, 'execution_id');
    await here.advance(next);
    const item = await claim(here);
    t.is(item.execution_id, next);
    const { body } = await here.call({ path: `/executions/${next}` });
    t.like(body, { imported: null, retried_from: { execution_id: id } });
  });

  test(`200: the same document again changes nothing (${to})`, async (t) => {
    const [there, here] = [await open(t, from), await open(t, to)];
    const document = await exportOf(there, await failOne(there));
    t.is((await here.call({ path: IMPORT, body: document })).status, 201);
    const before = await contentsOf(here);
    const again = await here.call({ path: IMPORT, body: document });
    t.is(again.status, 200);
    t.false(again.body['imported']);
    t.like(again.body, {
      execution_id: textOf({ body: document['execution'] as JsonObject }, 'execution_id'),
    });
    t.deepEqual(await contentsOf(here), before);
    // The runtime that executed it has it, too.
    t.is((await there.call({ path: IMPORT, body: document })).status, 200);
  });

  test(`an imported event that is changed shows when the audit log is verified (${to})`, async (t) => {
    const [there, here] = [await open(t, from), await open(t, to)];
    const document = await exportOf(there, await failOne(there));
    await here.call({ path: IMPORT, body: document });
    const { store, url } = here.database;
    const events = (document['events'] as readonly JsonValue[]).length;
    const verify = () => verifyAudit(store.audit, { tenantId: null, expected: null });
    t.like(await verify(), { problems: [], importedExecutions: 1, importedEvents: events });
    await tamperWith(
      url,
      'events',
      `update events set actor_id = 'token:nobody' where sequence = 2`,
    );
    const changed = await verify();
    t.is(changed.problems.length, 1);
    t.like(changed.problems[0], { what: 'row_changed', windowNumber: null, row: { sequence: 2 } });
    await tamperWith(url, 'events', 'delete from events where sequence = 2');
    t.like((await verify()).problems[0], { what: 'row_removed', row: { sequence: 2 } });
  });
}

test('400: a document that cannot be true is refused, and leaves nothing', async (t) => {
  const [there, here] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  const document = (await exportOf(there, await failOne(there))) as unknown as ExecutionDocument & {
    readonly sha256: string;
  };
  const { events, execution } = document;
  const last = events.length - 1;
  const at = (index: number, changes: object) => ({
    ...document,
    events: events.map((event, place) => (place === index ? { ...event, ...changes } : event)),
  });
  const payloadAt = (index: number, changes: object) =>
    at(index, { payload: { ...events[index]?.payload, ...changes } });
  const row = (changes: object) => ({ ...document, execution: { ...execution, ...changes } });
  const cases: readonly (readonly [string, unknown])[] = [
    ['sha256 is of other content', { ...document, sha256: 'a'.repeat(64) }],
    ['format', { ...document, format: 'svc.execution.2' }],
    ['redacted|hidden', { ...document, redacted: true }],
    ['would run twice', row({ status: 'running', completed_at: null })],
    ['status does not match', row({ status: 'completed' })],
    ['error does not match', row({ error: 'another' })],
    ['workflow_id does not match', row({ workflow_id: 'other' })],
    ['created_at does not match', row({ created_at: '2020-01-01T00:00:00.000Z' })],
    ['completed_at does not match', row({ completed_at: '2030-01-01T00:00:00.000Z' })],
    ['parent_execution_id does not match', row({ parent_execution_id: execution.execution_id })],
    ['but its last_sequence', row({ last_sequence: events.length + 1 })],
    ['execution_id must be', row({ execution_id: 'exec_1' })],
    ['moment', row({ created_at: '2026-02-31T00:00:00.000Z' })],
    ['is numbered', at(3, { sequence: 9 })],
    ['comes a second time', at(3, { kind: 'WorkflowStarted', payload: events[0]?.payload })],
    ['first event', at(0, { kind: 'NodeSkipped', node_id: 'a', payload: {} })],
    ['follow its end', at(3, { kind: 'WorkflowCancelled', payload: {} })],
    ['does not end it', at(last, { kind: 'NodeSkipped', node_id: 'a', payload: {} })],
    ['older than the one before', at(last, { created_at: '2020-01-01T00:00:00.000Z' })],
    ['no kind of event', at(3, { kind: 'NodeVanished' })],
    ['of a NodeScheduled', payloadAt(1, { visit: -1 })],
    ['of a WorkflowStarted', payloadAt(0, { continued_from: "'; drop table events" })],
    ['node_id must name the node', at(1, { node_id: null })],
    ['do not follow each other', payloadAt(1, { visit: 7 })],
    ['not allowed', payloadAt(0, { input: JSON.parse('{"a":[{"constructor":1}]}') as object })],
    ['error does not match|status does not match', payloadAt(last, { error: 'another' })],
    [
      'is not the one it ran on',
      {
        ...document,
        definition: {
          ...document.definition,
          definition_id: '0198c0de-0000-7000-a000-000000000009',
        },
      },
    ],
    ['ir_hash', { ...document, definition: { ...document.definition, ir_hash: 'a'.repeat(64) } }],
    [
      'no workflow here',
      {
        ...document,
        definition: {
          ...document.definition,
          ir: { workflow_id: 'chain', nodes: { a: { kind: 'nonsense' } } },
        },
      },
    ],
    [
      'neither in it nor here',
      { ...document, definition: { ...document.definition, ir: undefined } },
    ],
  ];
  const before = await contentsOf(here);
  for (const [expected, body] of cases) {
    const sealed = expected.startsWith('sha256') ? body : withHash(body as JsonObject);
    const answer = await here.call({ path: IMPORT, body: sealed });
    t.is(answer.status, 400, `${expected}: ${answer.status} ${answer.error}`);
    t.regex(answer.error, new RegExp(expected));
  }
  t.deepEqual(await contentsOf(here), before);
  // A document without the hash equals a line of an archive.
  const { sha256: _, ...bare } = document;
  t.is((await here.call({ path: IMPORT, body: bare })).status, 201);
});

test('400: an event far behind in a long history is named by its place', async (t) => {
  const [there, here] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  const document = (await exportOf(there, await failOne(there))) as unknown as ExecutionDocument;
  const [first] = document.events;
  const events = Array.from({ length: 1_200 }, (_, index) => ({ ...first, sequence: index + 1 }));
  events[1_100] = { ...first, sequence: 1_101, actor_id: '' };
  const answer = await here.call({ path: IMPORT, body: { ...document, events } });
  t.is(answer.status, 400);
  t.regex(answer.error, /events\.1100\.actor_id/);
});

test('409: under the id of an execution there is none else, of any tenant', async (t) => {
  const [there, here] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  const document = await exportOf(there, await failOne(there));
  await here.call({ path: IMPORT, body: document });
  const other = withHash({
    ...document,
    events: (document['events'] as readonly JsonObject[]).map((event) => ({
      ...event,
      actor_id: 'token:other',
    })),
  });
  const before = await contentsOf(here);
  const refused = await here.call({ path: IMPORT, body: other });
  t.is(refused.status, 409);
  t.regex(refused.error, /there is an execution .* already/);
  await here.call({ path: '/tenants', body: { id: 'acme', name: 'Acme' } });
  const token = await here.mint({ role: 'operator', tenant: 'acme' });
  t.is((await here.call({ path: IMPORT, body: document, token })).status, 409);
  const after = await contentsOf(here);
  for (const table of ['executions', 'events', 'imported_executions', 'imported_definitions']) {
    t.deepEqual(after[table], before[table]);
  }
});

test('413: a document may be larger than other bodies, and not without bound', async (t) => {
  const [there, here] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  // This API limits the bodies of other routes to 64 KiB.
  const document = await exportOf(
    there,
    await failOne(there, { note: 'x'.repeat(30_000) }, { order: 'y'.repeat(40_000) }),
  );
  t.true(JSON.stringify(document).length > 64 * 1024);
  t.is((await here.call({ path: IMPORT, body: document })).status, 201);
  const answer = await here.call({ path: IMPORT, body: ' '.repeat(33 * 1024 * 1024) });
  t.is(answer.status, 413);
  t.regex(answer.error, /33554432 bytes/);
});

test('403: imports are for operators', async (t) => {
  const here = await open(t, 'sqlite');
  for (const role of ['developer', 'reviewer', 'viewer'] as const) {
    const token = await here.mint({ role });
    t.is((await here.call({ path: IMPORT, body: {}, token })).status, 403);
  }
});

test('artifacts come along, and those that are left out are named', async (t) => {
  const [there, here, bare] = [
    await open(t, 'sqlite'),
    await open(t, 'postgres'),
    await open(t, 'sqlite'),
  ];
  const uploaded = await there.call({
    path: '/artifacts',
    body: 'a,b\n1,2\n',
    headers: { 'content-type': 'text/csv' },
  });
  const hash = textOf(uploaded, 'hash');
  const document = await exportOf(there, await failOne(there, { file: { $artifact: hash } }));
  const [artifact] = document['artifacts'] as readonly JsonObject[];
  const forged = withHash({
    ...document,
    artifacts: [{ ...artifact, content_base64: Buffer.from('a,b\n1,3\n').toString('base64') }],
  });
  const refused = await here.call({ path: IMPORT, body: forged });
  t.is(refused.status, 400);
  t.regex(refused.error, /has other content/);
  t.is((await here.call({ path: IMPORT, body: document })).status, 201);
  const read = await fetch(`${here.url}/artifacts/${hash}`, {
    headers: { authorization: `Bearer ${here.operatorToken}` },
  });
  t.is(await read.text(), 'a,b\n1,2\n');
  t.is(read.headers.get('content-type'), 'text/csv');
  const { artifacts: _, ...without } = document;
  const answer = await bare.call({ path: IMPORT, body: withHash(without) });
  t.deepEqual(answer.body['missing_artifacts'], [hash]);
});

test('an execution that waits is not imported, and nothing of one that is comes to work', async (t) => {
  const [there, here] = [await open(t, 'sqlite'), await open(t, 'sqlite')];
  const id = await startWorkflow(there, { ir: waiting('pay') });
  const paused = await here.call({ path: IMPORT, body: await exportOf(there, id) });
  t.is(paused.status, 400);
  t.regex(paused.error, /it is paused, and would run twice.*cancel it/);
  await there.call({ method: 'POST', path: `/executions/${id}/cancel` });
  const document = await exportOf(there, id);
  t.is((await here.call({ path: IMPORT, body: document })).status, 201);
  await here.advance(id);
  const contents = await contentsOf(here);
  for (const table of [
    'timers',
    'runnable',
    'work_queue',
    'work_leases',
    'execution_usage',
    'webhook_deliveries',
  ]) {
    t.deepEqual(contents[table], [], table);
  }
  const cancelled = await here.call({ method: 'POST', path: `/executions/${id}/cancel` });
  t.is(
    cancelled.status,
    (await there.call({ method: 'POST', path: `/executions/${id}/cancel` })).status,
  );
});

async function open(t: ExecutionContext, dialect: Dialect): Promise<TestApi> {
  const api = await startTestApi({ dialect });
  t.teardown(() => api.close());
  return api;
}

/** Completes the first node, fails the second, and returns the execution's id. */
async function failOne(
  api: TestApi,
  output: JsonObject = { receipt: 'r1' },
  input: JsonObject = { order: 1, 'ä"\\': [1.5, null] },
): Promise<string> {
  const labels = { customer: 'Acme', tier: '1' };
  const id = await startWorkflow(api, { ir: CHAIN, input, labels });
  const first = await claim(api);
  await api.call({
    path: `/work-items/${first.id}/complete`,
    body: {
      execution_id: id,
      node_id: 'first',
      output,
      state_patch: {},
      labels: { tier: '2', receipt: 'r1' },
      lease_fence: first.lease_fence,
      idempotency_key: first.idempotency_key,
    },
  });
  await api.advance(id);
  const second = await claim(api);
  const { lease_fence } = second;
  const said = { error: 'card refused', error_class: 'declined', retryable: false };
  const body = { ...said, lease_fence };
  await api.call({ path: `/work-items/${second.id}/fail`, body });
  await api.advance(id);
  return id;
}

/** The contents of all tables except the one that records the last use of tokens. */
async function contentsOf({ database }: TestApi) {
  const { tokens: _, ...contents } = await database.contents();
  return contents;
}

async function exportOf(api: TestApi, id: string): Promise<JsonObject> {
  return (await api.call({ path: `/executions/${id}/export` })).body;
}

/** The hash that a sender computes who knows the algorithm. */
function withHash(document: JsonObject): JsonObject {
  const { sha256: _, ...rest } = document;
  const plain = JSON.parse(JSON.stringify(rest)) as JsonObject;
  return { ...plain, sha256: hashJson(plain) };
}

function withoutClock(body: JsonObject | undefined): JsonObject {
  const { as_of: _, ...rest } = body ?? {};
  return rest;
}

const SUMMARY = [
  'execution_id',
  'workflow_id',
  'status',
  'created_at',
  'completed_at',
  'workflow_version',
  'started_at',
  'updated_at',
  'error',
  'parent_execution_id',
  'labels',
  'waiting_for',
];

function summaryOf(body: JsonObject): JsonObject {
  return Object.fromEntries(SUMMARY.map((name) => [name, body[name] ?? null]));
}
