import test from 'ava';

import { ids } from '../../../../src/runtime/ids.ts';
import { collectArtifacts } from '../../../../src/shared/engine/retention/collect-artifacts.ts';
import { writeArtifact } from '../../../../src/shared/engine/artifacts/write-artifact.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { end, KEPT_FOR_GOOD, openRetentionScene } from '../../engine/retention/retention-scene.ts';
import { commitOne } from '../contract/drive.ts';
import { makeEvent, makePlan, makeUuid } from '../contract/make.ts';
import { partitionPast, startAt } from './partition-scene.ts';
import { withRuntimeRole } from './runtime-role.ts';

const DAY_MS = 86_400_000;

test('a role that owns nothing removes artifacts and rewrites partitions', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { database, tenantId, seal, age, run } = scene;
  await partitionPast(database.url);
  const role = await withRuntimeRole(t, database.url);
  const store = await openPostgresStore({ url: role.url, poolSize: 2 });
  t.teardown(() => store.close());
  const live = await startAt({ store, tenantId }, -38);
  const ended = await startAt({ store, tenantId }, -38);
  const { hash } = await writeArtifact(
    { store: store.artifacts, ids },
    { tenantId, contentType: 'a/b', content: [Buffer.from('x')], bytesMax: 9, actorId: null },
  );
  const text = Array.from({ length: 10_000 }, makeUuid).join('');
  const payload = JSON.stringify({ text, file: { $artifact: `sha256:${hash}` } });
  await commitOne(store, makePlan(ended, { events: [makeEvent({ payload })] }));
  await end(store, ended);
  await seal();
  await age(31);
  const collect = async () => {
    const columns = ['created_at', 'unused_since'];
    await database.age({ table: 'artifacts', columns, byMs: 8 * DAY_MS });
    return collectArtifacts(
      { stores: store, now: () => 0, rest: async () => undefined },
      {
        tenantId,
        olderThanMs: DAY_MS,
        defaults: KEPT_FOR_GOOD,
        actorId: 'system:cli',
        unusedMs: 7 * DAY_MS,
        isOver: () => false,
      },
    );
  };
  t.like(await collect(), { artifacts: 0 });
  t.like(await run({ olderThanMs: DAY_MS }), { executions: 1 });
  t.like(await collect(), { artifacts: 1 });
  t.like(await store.retention.tendPartitions({ sweepAfterMs: 0, shrinkBytesMin: 100_000 }), {
    shrunk: 1,
  });
  t.is((await store.executions.events({ ...live, after: 0, limit: null })).length, 1);
  t.is((await store.executions.events({ ...ended, after: 0, limit: null })).length, 0);
});
