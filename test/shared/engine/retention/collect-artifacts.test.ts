import test, { type ExecutionContext } from 'ava';

import { ids } from '../../../../src/runtime/ids.ts';
import { inlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { writeArtifact } from '../../../../src/shared/engine/artifacts/write-artifact.ts';
import {
  collectArtifacts,
  countUnusedArtifacts,
  type ArtifactRun,
  type RemovedArtifacts,
} from '../../../../src/shared/engine/retention/collect-artifacts.ts';
import { previewRetention } from '../../../../src/shared/engine/retention/preview-retention.ts';
import { CHUNKS_AT_A_TIME } from '../../../../src/shared/store/unused-artifacts.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { commitOne, start, type Started } from '../../store/contract/drive.ts';
import {
  makeCompleted,
  makeNewExecution,
  makePlan,
  makeTenantId,
  makeUuid,
} from '../../store/contract/make.ts';
import { end, KEPT_FOR_GOOD, openRetentionScene, type RetentionScene } from './retention-scene.ts';

const DAY_MS = 86_400_000;
const THIRTY = { ...KEPT_FOR_GOOD, completed: 30 };
const NONE = { artifacts: 0, bytes: 0 };

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: an artifact goes some time after the last execution that refers to it`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, tenantId, run, seal, age, collect, wait, write } = scene;
    const hash = await write('report');
    const [first, second] = [await refer(scene, hash), await refer(scene, hash)];
    await end(store, first);
    await seal();
    await wait(400);
    t.deepEqual(await collect(), NONE);
    await age(31);
    await end(store, second);
    await seal();
    t.like(await run({ defaults: THIRTY }), { executions: 1 });
    await wait(400);
    t.deepEqual(await collect(), NONE, 'one of two still exists');
    await age(31);
    t.like(await run({ defaults: THIRTY }), { executions: 1 });
    await wait(6);
    t.deepEqual(await collect(), NONE, 'its time is not over');
    await wait(2);
    t.deepEqual(await collect(), { artifacts: 1, bytes: 6 });
    t.deepEqual(await store.artifacts.find({ tenantId, hashes: [hash] }), []);
    t.deepEqual(await scene.rowsLeft(), []);
    const { items } = await store.audit.list({
      tenantId,
      executionId: null,
      actorId: null,
      eventType: 'artifacts_removed',
      limit: 10,
      offset: 0,
    });
    t.deepEqual(
      items.map(({ actorId, payload }) => ({ actorId, payload })),
      [{ actorId: 'system:cli', payload: { artifacts: 1, bytes: 6, hashes: [hash] } }],
    );
    await seal();
    t.deepEqual((await scene.verify()).problems, []);
  });

  test(`${dialect}: an upload that nothing refers to goes when its time is over`, async (t) => {
    const { collect, wait, write } = await openScene(t, dialect);
    await write('never used');
    await wait(6);
    t.deepEqual(await collect(), NONE);
    t.deepEqual(await collect({ unusedMs: null }), NONE);
    await wait(2);
    t.deepEqual(await collect({ unusedMs: null }), NONE);
    t.deepEqual(await collect(), { artifacts: 1, bytes: 10 });
    t.deepEqual(await collect(), NONE);
  });

  test(`${dialect}: nothing goes before the events that may refer to it have been read`, async (t) => {
    const scene = await openScene(t, dialect);
    const { collect, wait, write, seal, store, tenantId } = scene;
    const hash = await write('in a live execution');
    await refer(scene, hash);
    await wait(400);
    t.deepEqual(await collect(), NONE, 'nothing is sealed yet');
    await seal();
    t.deepEqual(await collect(), NONE, 'something refers to it');
    t.is((await store.artifacts.find({ tenantId, hashes: [hash] })).length, 1);
  });

  test(`${dialect}: a child that is kept keeps what its parent gave it`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, tenantId, run, seal, age, collect, wait, write } = scene;
    const hash = await write('handed on');
    const parent = await refer(scene, hash);
    const child = await start(store, {
      tenantId,
      create: makeNewExecution({ parentExecutionId: parent.executionId, workflowId: 'child' }),
      changes: { events: [makeCompleted(reference(hash))] },
    });
    await end(store, child);
    await end(store, parent);
    await seal();
    await age(31);
    await collect();
    t.like(await run({ olderThanMs: DAY_MS, workflowId: 'greet' }), { executions: 1 });
    await wait(400);
    t.deepEqual(await collect(), NONE);
    t.like(await run({ olderThanMs: DAY_MS }), { executions: 1 });
    await wait(8);
    t.like(await collect(), { artifacts: 1 });
  });

  test(`${dialect}: a content that names others keeps them, and no longer`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, run, seal, age, collect, wait, write } = scene;
    const inner = await write('inner');
    const outer = await write(JSON.stringify({ list: [reference(inner)] }), 'application/json');
    const execution = await refer(scene, outer);
    await end(store, execution);
    await seal();
    await wait(400);
    t.deepEqual(await collect(), NONE);
    await age(31);
    await run({ defaults: THIRTY });
    await wait(8);
    t.like(await collect(), { artifacts: 1 });
    await wait(6);
    t.deepEqual(await collect(), NONE);
    await wait(2);
    t.deepEqual(await collect(), { artifacts: 1, bytes: 5 });
  });

  test(`${dialect}: artifacts that schedules and definitions refer to stay`, async (t) => {
    const { store, tenantId, collect, wait, write } = await openScene(t, dialect);
    const [scheduled, defined] = [await write('scheduled'), await write('defined')];
    await store.schedules.create({
      ...SCHEDULE,
      scheduleId: makeUuid(),
      tenantId,
      input: { file: reference(scheduled) },
    });
    await store.definitions.register({
      definitionId: makeUuid() as never,
      tenantId,
      workflowId: 'w',
      version: '1',
      irHash: 'hash',
      ir: { nodes: [{ value: reference(defined) }] },
      actorId: 'token:ci',
      workflowsMax: null,
    });
    await wait(400);
    t.deepEqual(await collect(), NONE);
    const found = await store.artifacts.find({ tenantId, hashes: [scheduled, defined] });
    t.is(found.length, 2);
  });

  test(`${dialect}: a content is deleted piece by piece, and nobody adds to it meanwhile`, async (t) => {
    const { store, tenantId, collect, wait, rowsLeft } = await openScene(t, dialect);
    const { artifacts } = store;
    const ref = { uploadId: makeUuid(), tenantId };
    const content = Uint8Array.of(1);
    const size = CHUNKS_AT_A_TIME + 1;
    for (let position = 0; position < size; position += 1) {
      await artifacts.append({ ...ref, position, content });
    }
    const upload = { ...ref, hash: 'a'.repeat(64), size, contentType: 'x/y', actorId: null };
    await artifacts.finish(upload);
    await collect();
    await wait(8);
    const unused = { tenantId, unusedMs: 7 * DAY_MS, except: [], limit: 10, actorId: 'system:cli' };
    t.deepEqual(await store.unusedArtifacts.remove(unused), {
      looked: 1,
      artifacts: 1,
      bytes: size,
    });
    t.is(await artifacts.readChunk({ tenantId, hash: upload.hash, position: 0 }), null);
    t.is(await store.unusedArtifacts.deleteChunks(), CHUNKS_AT_A_TIME);
    t.false(await artifacts.append({ ...ref, position: size, content }));
    t.is(await artifacts.finish(upload), null);
    await artifacts.discard(ref);
    t.deepEqual(await rowsLeft(), ['artifact_chunks', 'artifact_uploads']);
    await store.prune();
    t.deepEqual(await rowsLeft(), []);
  });

  test(`${dialect}: nothing is removed from a tenant that keeps everything`, async (t) => {
    const { collect, wait, write, store, tenantId } = await openScene(t, dialect);
    await write('kept');
    await wait(400);
    t.deepEqual(await collect({ defaults: KEPT_FOR_GOOD }), NONE);
    t.deepEqual(await collect({ tenantId: makeTenantId() }), NONE);
    const days = { completed: 1, failed: null, cancelled: null };
    await store.retention.setPolicy({ tenantId, workflowId: null, days, actorId: 'token:ci' });
    t.like(await collect({ defaults: KEPT_FOR_GOOD }), { artifacts: 1 });
  });

  test(`${dialect}: a reference to an artifact under removal finds it or is refused`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, tenantId, collect, wait, write } = scene;
    const hashes: string[] = [];
    for (let index = 0; index < 40; index += 1) hashes.push(await write(`content ${index}`));
    await wait(400);
    const [removed, ...held] = await Promise.all([
      collect(),
      ...hashes.map((hash) => store.artifacts.hold({ tenantId, hashes: [hash] })),
    ]);
    const kept = held.flat().map(({ hash }) => hash);
    t.is((removed?.artifacts ?? 0) + kept.length, 40);
    const found = await store.artifacts.find({ tenantId, hashes });
    t.deepEqual(found.map(({ hash }) => hash).toSorted(), kept.toSorted());
    for (const hash of kept) {
      t.not(await store.artifacts.readChunk({ tenantId, hash, position: 0 }), null);
    }
    t.deepEqual(await collect(), NONE, 'their time has begun again');
  });

  test(`${dialect}: an execution removed while events are read leaves no reference`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, run, seal, age, write, collect, wait } = scene;
    const hashes: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      const hash = await write(`content ${index}`);
      hashes.push(hash);
      await end(store, await refer(scene, hash));
    }
    await seal();
    await age(31);
    await Promise.all([
      run({ defaults: THIRTY, batchMax: 1 }),
      ...hashes.map(() => store.unusedArtifacts.readEvents({ windowsMax: 1 })),
    ]);
    await wait(8);
    t.like(await collect(), { artifacts: 20 });
    t.deepEqual(await scene.rowsLeft(), []);
  });

  test(`${dialect}: a preview counts what goes now and what would go later`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, tenantId, seal, age, write, collect, wait } = scene;
    const [own, shared] = [await write('own'), await write('shared')];
    const unused = await write('unused');
    const old = await refer(scene, own, shared);
    await end(store, old);
    await seal();
    await age(31);
    await refer(scene, shared);
    await seal();
    const request = { ...REQUEST, tenantId, defaults: THIRTY };
    await wait(8);
    await store.artifacts.hold({ tenantId, hashes: [unused] });
    await collect();
    await wait(8);
    t.deepEqual((await previewRetention(store, request)).released, { artifacts: 1, bytes: 3 });
    t.deepEqual(await countUnusedArtifacts(store, { ...request, unusedMs: 7 * DAY_MS }), {
      artifacts: 1,
      bytes: 6,
    });
    t.is(await store.unusedArtifacts.unreadWindows(), 0);
    t.deepEqual(await collect(), { artifacts: 1, bytes: 6 });
  });
}

const REQUEST = { workflowId: null, status: null, olderThanMs: null } as const;

const SCHEDULE = {
  name: 'daily',
  actorId: 'token:ci',
  workflowId: 'greet',
  workflowVersion: null,
  cronExpression: '0 9 * * *',
  every: null,
  timezone: 'Europe/Berlin',
  overlapPolicy: 'skip',
  catchupWindowSecs: 60,
  paused: false,
  nextFireAt: '2999-01-01T00:00:00.000Z',
  schedulesMax: 100,
} as const;

interface Scene extends RetentionScene {
  readonly collect: (changes?: Partial<ArtifactRun>) => Promise<RemovedArtifacts>;
  /** Simulates that days pass for artifacts. */
  readonly wait: (days: number) => Promise<void>;
  /** Returns the hash. */
  readonly write: (content: string, contentType?: string) => Promise<string>;
  /** Tables that still have rows of artifacts. */
  readonly rowsLeft: () => Promise<readonly string[]>;
}

async function openScene(t: ExecutionContext, dialect: Dialect): Promise<Scene> {
  const scene = await openRetentionScene(t, dialect);
  const { store, database, tenantId } = scene;
  return {
    ...scene,
    collect: (changes = {}) =>
      collectArtifacts(
        { stores: store, now: () => 0, rest: async () => undefined },
        {
          tenantId: null,
          olderThanMs: null,
          defaults: THIRTY,
          actorId: 'system:cli',
          unusedMs: 7 * DAY_MS,
          isOver: () => false,
          ...changes,
        },
      ),
    wait: (days) =>
      database.age({
        table: 'artifacts',
        columns: ['created_at', 'unused_since'],
        byMs: days * DAY_MS,
      }),
    write: (content, contentType = 'text/plain') =>
      write(store, { tenantId, content, contentType }),
    rowsLeft: async () =>
      Object.entries(await database.contents())
        .filter(([table, rows]) => table.startsWith('artifact') && rows.length > 0)
        .map(([table]) => table)
        .filter((table) => table !== 'artifact_survey'),
  };
}

async function write(
  store: Store,
  params: { readonly tenantId: TenantId; readonly content: string; readonly contentType: string },
): Promise<string> {
  const content = [Buffer.from(params.content)];
  const { hash } = await writeArtifact(
    { store: store.artifacts, ids },
    { ...params, content, bytesMax: 1_000_000, actorId: 'token:ci' },
  );
  return hash;
}

function reference(hash: string) {
  return inlineReference({ hash, size: 1 });
}

/** A live execution of the tenant that refers to them. */
function refer({ store, tenantId }: Scene, ...hashes: readonly string[]): Promise<Started> {
  return start(store, { tenantId }).then(async (execution) => {
    await commitOne(store, makePlan(execution, { events: [makeCompleted(hashes.map(reference))] }));
    return execution;
  });
}
