import { createHash, randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores, type Place } from '../support/both-stores.ts';
import { openRequest } from '../support/http.ts';
import { readTables } from '../support/stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';

/* Results of tools may be large: the runtime stores them apart, and returns them to readers. */

const check = onBothStores();
const MIB = 1024 * 1024;
const call = { kind: 'python_fn', module: 'm', function: 'f', retry_policy: 'no_retry' };
const CHAIN = {
  nodes: { a: { ...call, output_key: 'a' }, b: { ...call, output_key: 'b' } },
  edges: [{ from: 'a', to: 'b' }],
};

check('200: ten megabytes go from one tool to the next', async (t, svc, place) => {
  const id = await svc.run(CHAIN);
  const item = await svc.claimOf('a');
  const content = Array.from({ length: 10 }, () => randomBytes(MIB));
  const file = await upload(svc, place, content);
  const reference = { $artifact: file.hash, size: file.size, content_type: file.content_type };
  t.is(file.hash, `sha256:${sha256(content)}`);
  t.is(file.size, 10 * MIB);
  expectStatus(await svc.complete(item, { file: reference }), 200);
  const next = await svc.claimOf('b');
  t.deepEqual(next.payload['input'], { a: { file: reference } });
  const read = await openRequest(place.runtime.url, {
    path: `/artifacts/${file.hash}`,
    token: place.runtime.apiKey,
    tenantId: svc.tenantId,
  });
  t.is(read.headers.get('content-type'), 'application/x-tar');
  t.is(sha256([Buffer.from(await read.arrayBuffer())]), sha256(content));
  expectStatus(await svc.complete(next, {}), 200);
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { a: { file: reference }, b: {} });
  return svc.story(id);
});

check('200: a large output is kept apart, and read whole', async (t, svc, place) => {
  const id = await svc.run(CHAIN);
  const output = { status: 'ok', report: 'line '.repeat(40_000), rows: rows(5_000) };
  await svc.work('a', output, { state_patch: { deep: { report: output.report } } });
  const next = await svc.claimOf('b');
  const state = { a: output, deep: { report: output.report } };
  t.deepEqual(next.payload['input'], state);
  t.deepEqual((await svc.read(id)).state, state);
  expectStatus(await svc.complete(next, {}), 200);
  t.deepEqual((await svc.until(id, 'completed')).state, { ...state, b: {} });
  const events = await svc.events(id);
  const completed = events.find(({ kind }) => kind === 'NodeCompleted');
  t.like(completed?.payload, {
    output: { status: 'ok', report: { size: 200_002, inline: true } },
    state_patch: { deep: { report: { inline: true } } },
  });
  await staysSmall(t, place, id);
  return [await svc.story(id), completed?.payload];
});

check('200: an output of many small parts is kept apart as a whole', async (t, svc, place) => {
  const id = await svc.run(CHAIN);
  const output = Object.fromEntries(rows(4_000).map((row) => [row.name, row]));
  await svc.work('a', output);
  const next = await svc.claimOf('b');
  t.deepEqual(next.payload['input'], { a: output });
  expectStatus(await svc.complete(next, {}, { state_patch: { a: { row_1: null } } }), 200);
  const { row_1: _, ...others } = output;
  t.deepEqual((await svc.until(id, 'completed')).state, { a: others, b: {} });
  await staysSmall(t, place, id);
});

check('400: a reference to nothing is refused, and the lease stays', async (t, svc) => {
  const id = await svc.run(CHAIN);
  const item = await svc.claimOf('a');
  const unknown = `sha256:${'0'.repeat(64)}`;
  for (const $artifact of [unknown, 'nonsense']) {
    const reply = await svc.complete(item, { list: [{ deep: { $artifact } }] });
    t.is(reply.status, 400);
    t.true(reply.body.error?.includes($artifact));
  }
  const patched = { state_patch: { file: { $artifact: unknown } } };
  t.is((await svc.complete(item, {}, patched)).status, 400);
  expectStatus(await svc.complete(item, { $artifact: 7 }), 200);
  await svc.work('b');
  t.deepEqual((await svc.until(id, 'completed')).state, { a: { $artifact: 7 }, b: {} });
});

check('400: other inputs refer to nothing either', async (t, svc, place) => {
  const file = { $artifact: `sha256:${'0'.repeat(64)}` };
  const workflow = await svc.register(CHAIN);
  const id = await svc.start(workflow);
  const schedule = { name: 'nightly', workflow_id: workflow, every: '1h' };
  for (const send of [
    (input: JsonObject) => svc.post('/executions', { workflow_id: workflow, input }),
    (input: JsonObject) => svc.post('/schedules', { ...schedule, input }),
    (payload: JsonObject) =>
      svc.post(`/executions/${id}/external-event`, { correlation_key: 'k', payload }),
    (patch: JsonObject) =>
      svc.post(`/executions/${id}/approve`, { decision: 'approved', state_patch: patch }),
  ]) {
    const reply = await send({ file });
    t.is(reply.status, 400, JSON.stringify(reply.body));
    t.regex(JSON.stringify(reply.body), /artifacts that do not exist: sha256:0000/);
  }
  const { hash } = await upload(svc, place, [randomBytes(100)]);
  const known = await svc.post('/executions', {
    workflow_id: workflow,
    input: { file: { $artifact: hash } },
  });
  t.is(known.status, 201, JSON.stringify(known.body));
});

check('400: a reference to what another tenant has', async (t, svc, place) => {
  const other = await place.runtime.newTenant();
  const { hash } = await upload(other, place, [randomBytes(100)]);
  await svc.run(CHAIN);
  const item = await svc.claimOf('a');
  t.is((await svc.complete(item, { file: { $artifact: hash } })).status, 400);
});

interface Uploaded {
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
}

/** Uploads in pieces, like a tool that never has the whole content in memory. */
async function upload(
  svc: TestTenant,
  { runtime }: Place,
  content: readonly Uint8Array[],
): Promise<Uploaded> {
  const response = await fetch(`${runtime.url}/artifacts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${runtime.apiKey}`,
      'x-tenant-id': svc.tenantId,
      'content-type': 'application/x-tar',
    },
    body: ReadableStream.from(content),
    duplex: 'half',
  });
  const body = (await response.json()) as Uploaded;
  return expectStatus({ status: response.status, headers: response.headers, body }, 201);
}

/** No row of the execution contains the large value. */
async function staysSmall(t: ExecutionContext, { database }: Place, id: string): Promise<void> {
  const { artifact_chunks: _, artifacts: __, ...tables } = await readTables(database.url);
  const uuid = id.slice('exec_'.length);
  const hyphenated = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  for (const [table, found] of Object.entries(tables)) {
    const own = found.filter((row) => row.includes(uuid) || row.includes(hyphenated));
    for (const row of own) t.true(row.length < 64 * 1024, `${table} has ${row.length}`);
  }
}

function rows(count: number) {
  return Array.from({ length: count }, (_, index) => ({ name: `row_${index}`, value: index / 7 }));
}

function sha256(content: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of content) hash.update(part);
  return hash.digest('hex');
}
