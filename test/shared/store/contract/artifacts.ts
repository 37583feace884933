import { createHash } from 'node:crypto';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { UPLOAD_SILENCE_MS, type ArtifactStore } from '../../../../src/shared/store/artifacts.ts';
import type { TestStore } from '../../../support/stores.ts';
import { contractCases } from './contract-case.ts';
import { atOnce } from './drive.ts';
import { makeTenantId, makeUuid } from './make.ts';

export function artifactCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an artifact comes back byte by byte, in its chunks', async (t, { store }) => {
    const tenantId = makeTenantId();
    const chunks = [Uint8Array.of(0, 255, 128, 10), Uint8Array.of(), Uint8Array.of(92, 120)];
    const { hash } = await upload(store.artifacts, { tenantId, chunks });
    const [found] = await store.artifacts.find({ tenantId, hashes: [hash, 'f'.repeat(64)] });
    t.like(found, { hash, size: 6, contentType: 'image/png' });
    t.regex(found?.createdAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const [position, chunk] of chunks.entries()) {
      const read = await store.artifacts.readChunk({ tenantId, hash, position });
      t.deepEqual([...(read ?? [])], [...chunk]);
    }
    t.is(await store.artifacts.readChunk({ tenantId, hash, position: 3 }), null);
    t.deepEqual(await store.artifacts.find({ tenantId, hashes: [] }), []);
  });

  check('an upload is seen by nobody before it is finished', async (t, { store }) => {
    const ref = { uploadId: makeUuid(), tenantId: makeTenantId() };
    const { tenantId } = ref;
    const content = Buffer.from(makeUuid());
    t.true(await store.artifacts.append({ ...ref, position: 0, content }));
    const hash = hashOf([content]);
    t.deepEqual(await store.artifacts.find({ tenantId, hashes: [hash] }), []);
    t.is(await store.artifacts.readChunk({ tenantId, hash, position: 0 }), null);
  });

  check('the same content again is the existing artifact', async (t, { store, contents }) => {
    const tenantId = makeTenantId();
    const chunks = [Buffer.from(makeUuid())];
    const first = await upload(store.artifacts, { tenantId, chunks });
    const before = await contents();
    const again = await upload(store.artifacts, { tenantId, chunks, contentType: 'text/html' });
    t.deepEqual(again, first);
    t.deepEqual(await contents(), before);
  });

  check('one of twenty uploads of the same content at once is kept', async (t, database) => {
    const { artifacts } = database.store;
    const tenantId = makeTenantId();
    const chunks = [Buffer.from(makeUuid()), Buffer.from('rest')];
    const answers = await atOnce(20, () => upload(artifacts, { tenantId, chunks }));
    t.is(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    t.deepEqual(await rowCounts(database, tenantId), {
      artifacts: 1,
      artifact_uploads: 0,
      artifact_chunks: 2,
    });
  });

  check('tenants have artifacts of their own, with any hash', async (t, { store }) => {
    const [tenantId, other] = [makeTenantId(), makeTenantId()];
    const chunks = [Buffer.from(makeUuid())];
    const { hash } = await upload(store.artifacts, { tenantId, chunks });
    t.deepEqual(await store.artifacts.find({ tenantId: other, hashes: [hash] }), []);
    t.is(await store.artifacts.readChunk({ tenantId: other, hash, position: 0 }), null);
    const theirs = await upload(store.artifacts, { tenantId: other, chunks, contentType: 'a/b' });
    t.like(theirs, { hash, contentType: 'a/b' });
  });

  check('an upload is added to and finished by its tenant alone', async (t, { store }) => {
    const { artifacts } = store;
    const ref = { uploadId: makeUuid(), tenantId: makeTenantId() };
    const foreign = { ...ref, tenantId: makeTenantId() };
    const content = Buffer.from(makeUuid());
    await artifacts.append({ ...ref, position: 0, content });
    t.false(await artifacts.append({ ...foreign, position: 1, content }));
    t.is(await artifacts.finish(finishing(foreign, [content])), null);
    await artifacts.discard(foreign);
    t.true(await artifacts.append({ ...ref, position: 1, content }));
    t.like(await artifacts.finish(finishing(ref, [content, content])), { size: 72 });
  });

  check('an upload that was discarded leaves nothing', async (t, database) => {
    const { artifacts } = database.store;
    const ref = { uploadId: makeUuid(), tenantId: makeTenantId() };
    const content = Buffer.from(makeUuid());
    for (const position of [0, 1]) await artifacts.append({ ...ref, position, content });
    await artifacts.discard(ref);
    t.deepEqual(await rowCounts(database, ref.tenantId), NO_ROWS);
    t.false(await artifacts.append({ ...ref, position: 2, content }));
    t.is(await artifacts.finish(finishing(ref, [content])), null);
    t.deepEqual(await rowCounts(database, ref.tenantId), NO_ROWS);
  });

  check('discarding what is finished changes nothing', async (t, { store, contents }) => {
    const ref = { uploadId: makeUuid(), tenantId: makeTenantId() };
    const content = Buffer.from(makeUuid());
    await store.artifacts.append({ ...ref, position: 0, content });
    await store.artifacts.finish(finishing(ref, [content]));
    const before = await contents();
    await store.artifacts.discard(ref);
    t.deepEqual(await contents(), before);
  });

  check('uploads given up are pruned, others and artifacts are not', async (t, database) => {
    const { store, age } = database;
    const { artifacts } = store;
    const [silent, touched] = [makeTenantId(), makeTenantId()].map((tenantId) => ({
      uploadId: makeUuid(),
      tenantId,
    }));
    if (silent === undefined || touched === undefined) throw new Error('two uploads');
    const content = Buffer.from(makeUuid());
    const kept = await upload(artifacts, { tenantId: silent.tenantId, chunks: [content] });
    for (const ref of [silent, touched]) await artifacts.append({ ...ref, position: 0, content });
    await age({ table: 'artifact_uploads', columns: ['touched_at'], byMs: UPLOAD_SILENCE_MS });
    await artifacts.append({ ...touched, position: 1, content });
    t.true((await store.prune()) >= 1);
    t.false(await artifacts.append({ ...silent, position: 1, content }));
    t.deepEqual(await rowCounts(database, silent.tenantId), {
      artifacts: 1,
      artifact_uploads: 0,
      artifact_chunks: 1,
    });
    const ref = { tenantId: silent.tenantId, hash: kept.hash, position: 0 };
    t.is(Buffer.from((await artifacts.readChunk(ref)) ?? []).toString(), content.toString());
    t.like(await artifacts.finish(finishing(touched, [content, content])), { size: 72 });
  });

  check('a caller about to refer to artifacts learns which ones exist', async (t, database) => {
    const { store, age, contents } = database;
    const tenantId = makeTenantId();
    const { hash } = await upload(store.artifacts, { tenantId, chunks: [Buffer.from(makeUuid())] });
    const hashes = [hash, 'f'.repeat(64)];
    const before = await contents();
    t.deepEqual(
      await store.artifacts.hold({ tenantId, hashes }),
      await store.artifacts.find({ tenantId, hashes }),
    );
    t.deepEqual(await contents(), before, 'it was written just now');
    await age({ table: 'artifacts', columns: ['unused_since'], byMs: 86_400_000 });
    const held = await atOnce(20, () => store.artifacts.hold({ tenantId, hashes }));
    t.true(held.every((artifacts) => artifacts.length === 1));
    t.deepEqual(await store.artifacts.hold({ tenantId: makeTenantId(), hashes }), []);
    t.deepEqual(await store.artifacts.hold({ tenantId, hashes: [] }), []);
  });

  check('an upload is audited once, unless an event reports it', async (t, { store }) => {
    const tenantId = makeTenantId();
    const [told, untold] = [[Buffer.from(makeUuid())], [Buffer.from(makeUuid())]];
    const { hash } = await upload(store.artifacts, { tenantId, chunks: told });
    await upload(store.artifacts, { tenantId, chunks: told });
    await upload(store.artifacts, { tenantId, chunks: untold, actorId: null });
    const page = { executionId: null, actorId: null, eventType: null, limit: 50, offset: 0 };
    const { items } = await store.audit.list({ ...page, tenantId });
    t.deepEqual(
      items.map(({ eventType, actorId, payload }) => ({ eventType, actorId, payload })),
      [
        {
          eventType: 'artifact_stored',
          actorId: 'token:ci',
          payload: { hash, size: 36, content_type: 'image/png' },
        },
      ],
    );
  });
}

const NO_ROWS = { artifacts: 0, artifact_uploads: 0, artifact_chunks: 0 };

async function upload(
  artifacts: ArtifactStore,
  params: {
    readonly tenantId: TenantId;
    readonly chunks: readonly Uint8Array[];
    readonly contentType?: string;
    readonly actorId?: string | null;
  },
) {
  const { tenantId, chunks, ...changes } = params;
  const ref = { uploadId: makeUuid(), tenantId };
  for (const [position, content] of chunks.entries()) {
    await artifacts.append({ ...ref, position, content });
  }
  const artifact = await artifacts.finish({ ...finishing(ref, chunks), ...changes });
  if (artifact === null) throw new Error('the upload is gone');
  return artifact;
}

function finishing(
  ref: { readonly uploadId: string; readonly tenantId: TenantId },
  chunks: readonly Uint8Array[],
): Parameters<ArtifactStore['finish']>[0] {
  return {
    ...ref,
    hash: hashOf(chunks),
    size: Buffer.concat(chunks).length,
    contentType: 'image/png',
    actorId: 'token:ci',
  };
}

function hashOf(chunks: readonly Uint8Array[]): string {
  return createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
}

async function rowCounts(database: TestStore, tenantId: TenantId) {
  const contents = await database.contents();
  return Object.fromEntries(
    Object.keys(NO_ROWS).map((table) => [
      table,
      (contents[table] ?? []).filter((row) => row.includes(tenantId)).length,
    ]),
  );
}
