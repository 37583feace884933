import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import anyTest, { type TestFn } from 'ava';

import { CHUNK_BYTES } from '../../../src/shared/store/artifacts.ts';
import { eventually } from '../../support/eventually.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const BYTES_MAX = 2 * CHUNK_BYTES;
const DIALECTS = ['sqlite', 'postgres'] as const;
const test = anyTest as TestFn<Record<(typeof DIALECTS)[number], TestApi>>;

for (const dialect of DIALECTS) {
  test.before(`open (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect, artifactBytesMax: BYTES_MAX });
  });
  test.after.always(`close (${dialect})`, (t) => t.context[dialect].close());

  test(`201: a content comes back as it was sent (${dialect})`, async (t) => {
    const api = t.context[dialect];
    for (const size of [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, BYTES_MAX]) {
      const content = randomBytes(size);
      const type = 'image/png; q="x"';
      const sent = await upload(api, content, { 'content-type': type });
      t.is(sent.status, 201);
      const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      t.deepEqual(await sent.json(), { hash, size, content_type: type });
      const read = await download(api, hash);
      t.is(read.status, 200);
      t.is(read.headers.get('content-type'), type);
      t.is(read.headers.get('content-length'), String(size));
      t.deepEqual(Buffer.from(await read.arrayBuffer()), content);
    }
  });
}

test('201: the same content again gives the same answer', async (t) => {
  const { sqlite: api } = t.context;
  const first = await (await upload(api, 'same', { 'content-type': 'text/css' })).json();
  const again = await upload(api, 'same', { 'content-type': 'text/html' });
  t.is(again.status, 201);
  t.deepEqual(await again.json(), first);
});

test('201: a content without a type is bytes', async (t) => {
  const { sqlite: api } = t.context;
  const sent = await upload(api, Buffer.from('untyped'), {});
  const { content_type: type } = (await sent.json()) as { content_type: string };
  t.is(type, 'application/octet-stream');
});

test('400: a content type that is no media type', async (t) => {
  for (const type of ['png', 'a/b c', `a/${'b'.repeat(300)}`]) {
    const answer = await upload(t.context.sqlite, 'x', { 'content-type': type });
    t.is(answer.status, 400, type);
  }
});

test('413: a content that is announced as too large is not read', async (t) => {
  const api = await startTestApi({ artifactBytesMax: BYTES_MAX });
  t.teardown(() => api.close());
  const answer = await upload(api, randomBytes(BYTES_MAX + 1), {});
  t.is(answer.status, 413);
  t.deepEqual(await answer.json(), {
    error: `payload too large: the artifact is larger than ${BYTES_MAX} bytes`,
  });
  t.is(await countRows(api), 0);
});

test('413: a content that turns out too large leaves nothing', async (t) => {
  const api = await startTestApi({ artifactBytesMax: BYTES_MAX });
  t.teardown(() => api.close());
  const piece = randomBytes(65_536);
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let sent = 0; sent <= 3 * BYTES_MAX; sent += piece.length) controller.enqueue(piece);
      controller.close();
    },
  });
  const answer = await upload(api, pieces, {});
  t.is(answer.status, 413);
  t.is(await countRows(api), 0);
});

test('415: a compressed content', async (t) => {
  const answer = await upload(t.context.sqlite, 'x', { 'content-encoding': 'gzip' });
  t.is(answer.status, 415);
});

test('a content that breaks off leaves nothing', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  const sending = request(`${api.url}/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.operatorToken}`, 'content-length': CHUNK_BYTES * 4 },
  });
  sending.on('error', () => undefined);
  sending.write(randomBytes(CHUNK_BYTES * 2 + 1));
  await eventually(async () => {
    if ((await countRows(api)) === 0) throw new Error('nothing has arrived');
  });
  sending.destroy();
  await eventually(async () => {
    if ((await countRows(api)) > 0) throw new Error('something is left');
  });
  t.deepEqual(api.troubles, []);
});

test('200: a content is for saving, and may be kept forever', async (t) => {
  const { sqlite: api } = t.context;
  const page = '<script>alert(1)</script>';
  const sent = await upload(api, page, { 'content-type': 'text/html' });
  const hash = textOf({ body: (await sent.json()) as Record<string, string> }, 'hash');
  const digest = hash.replace('sha256:', '');
  for (const name of [hash, digest]) {
    const read = await download(api, name);
    t.is(await read.text(), page);
    t.is(read.headers.get('etag'), `"${digest}"`);
    t.is(read.headers.get('cache-control'), 'private, max-age=31536000, immutable');
    t.is(read.headers.get('content-disposition'), `attachment; filename="${digest}"`);
    t.is(read.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    t.is(read.headers.get('x-content-type-options'), 'nosniff');
  }
});

test('200: HEAD tells all but the content', async (t) => {
  const { sqlite: api } = t.context;
  const sent = await upload(api, 'head', { 'content-type': 'text/plain' });
  const { hash } = (await sent.json()) as { hash: string };
  const head = await download(api, hash, { method: 'HEAD' });
  t.is(head.status, 200);
  t.is(head.headers.get('content-length'), '4');
  t.is(head.headers.get('content-type'), 'text/plain');
  t.is(await head.text(), '');
});

test('304: the caller has it already', async (t) => {
  const { sqlite: api } = t.context;
  const sent = await upload(api, 'known', {});
  const { hash } = (await sent.json()) as { hash: string };
  const etag = `"${hash.replace('sha256:', '')}"`;
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await download(api, hash, { headers: { 'if-none-match': header } });
    t.is(answer.status, 304, header);
    t.is(answer.headers.get('etag'), etag);
  }
  t.is((await download(api, hash, { headers: { 'if-none-match': '"x"' } })).status, 200);
});

test('404: hashes of nothing, of any form, and of other tenants', async (t) => {
  const { sqlite: api } = t.context;
  const sent = await upload(api, 'ours', {});
  const { hash } = (await sent.json()) as { hash: string };
  for (const name of ['x', `sha256:${'0'.repeat(64)}`, hash.toUpperCase(), `md5:${hash}`]) {
    const answer = await api.call({ path: `/artifacts/${name}` });
    t.is(answer.status, 404, name);
    t.is(answer.error, `not found: artifact ${name}`);
  }
  const token = await api.mint({ role: 'operator', tenant: 'other' });
  t.is((await api.call({ path: `/artifacts/${hash}`, token })).status, 404);
});

async function countRows(api: TestApi): Promise<number> {
  const contents = await api.database.contents();
  const tables = ['artifacts', 'artifact_uploads', 'artifact_chunks'];
  return tables.reduce((sum, table) => sum + (contents[table]?.length ?? 0), 0);
}

function upload(
  api: TestApi,
  content: string | Buffer | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return fetch(`${api.url}/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.operatorToken}`, ...headers },
    body: typeof content === 'string' ? Buffer.from(content) : (content as Buffer<ArrayBuffer>),
    duplex: 'half',
  });
}

function download(
  api: TestApi,
  name: string,
  init: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return fetch(`${api.url}/artifacts/${name}`, {
    ...init,
    headers: { authorization: `Bearer ${api.operatorToken}`, ...init.headers },
  });
}
