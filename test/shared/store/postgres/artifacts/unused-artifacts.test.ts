import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';

import { ids } from '../../../../../src/runtime/ids.ts';
import { inlineReference } from '../../../../../src/shared/domain/artifact-reference.ts';
import { collectArtifacts } from '../../../../../src/shared/engine/retention/collect-artifacts.ts';
import { writeArtifact } from '../../../../../src/shared/engine/artifacts/write-artifact.ts';
import { runOnServer } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  KEPT_FOR_GOOD,
  openRetentionScene,
  type RetentionScene,
} from '../../../engine/retention/retention-scene.ts';
import { commitOne, start } from '../../contract/drive.ts';
import { makeCompleted, makePlan } from '../../contract/make.ts';
import { connectRaw } from '../raw-client.ts';

/* Two concurrent transactions, of which one waits for the other at the critical place. */

const DAY_MS = 86_400_000;

test('a caller about to refer to an artifact waits for its removal, and learns of it', async (t) => {
  const { scene, hash, other } = await openRace(t);
  const { store, tenantId } = scene;
  await other.query('begin');
  await other.query('delete from artifacts where hash = $1', [hash]);
  const held = store.artifacts.hold({ tenantId, hashes: [hash] });
  await untilWaiting(scene);
  await other.query('commit');
  t.deepEqual(await held, []);
});

test('a caller about to refer to an artifact that somebody else refers to finds it', async (t) => {
  const { scene, hash, other } = await openRace(t);
  const { store, tenantId } = scene;
  await other.query('begin');
  await other.query('update artifacts set unused_since = now() where hash = $1', [hash]);
  const held = store.artifacts.hold({ tenantId, hashes: [hash] });
  await untilWaiting(scene);
  await other.query('commit');
  t.is((await held).length, 1);
});

test('no reference is noted for an execution that is being removed', async (t) => {
  const { scene, hash, other } = await openRace(t);
  const { store } = scene;
  const id = await refer(scene, hash);
  await scene.seal();
  await other.query('begin');
  await other.query('delete from executions where id = $1', [id]);
  const read = store.unusedArtifacts.readEvents({ windowsMax: 100 });
  await untilWaiting(scene);
  await other.query('commit');
  t.true((await read).read > 0);
  t.deepEqual((await other.query('select from artifact_references')).rows, []);
});

test('an artifact is not taken for used by an execution that is being removed', async (t) => {
  const { scene, hash, other, collect } = await openRace(t);
  const id = await refer(scene, hash);
  await scene.seal();
  t.is(await collect(), 0);
  await makeOld(scene);
  await other.query('update artifacts set unused_since = created_at');
  await other.query('begin');
  await other.query('delete from executions where id = $1', [id]);
  t.is(await collect(), 0);
  await other.query('commit');
  t.is(await collect(), 0, 'its time has just begun');
  await makeOld(scene);
  t.is(await collect(), 1);
});

async function openRace(t: ExecutionContext): Promise<{
  readonly scene: RetentionScene;
  readonly hash: string;
  /** The session of another process. */
  readonly other: pg.Client;
  /** Returns the number of removed artifacts. */
  readonly collect: () => Promise<number>;
}> {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, tenantId } = scene;
  const { hash } = await writeArtifact(
    { store: store.artifacts, ids },
    {
      tenantId,
      contentType: 'text/plain',
      content: [Buffer.from('content')],
      bytesMax: 100,
      actorId: null,
    },
  );
  await makeOld(scene);
  const other = await connectRaw(scene.database.url);
  t.teardown(() => other.end());
  return {
    scene,
    hash,
    other,
    collect: async () => {
      const { artifacts } = await collectArtifacts(
        { stores: store, now: () => 0, rest: async () => undefined },
        {
          tenantId: null,
          olderThanMs: DAY_MS,
          defaults: KEPT_FOR_GOOD,
          actorId: 'system:cli',
          unusedMs: 7 * DAY_MS,
          isOver: () => false,
        },
      );
      return artifacts;
    },
  };
}

function makeOld({ database }: RetentionScene): Promise<void> {
  const columns = ['created_at', 'unused_since'];
  return database.age({ table: 'artifacts', columns, byMs: 8 * DAY_MS });
}

/** Returns the id of an execution that refers to it. */
async function refer({ store, tenantId }: RetentionScene, hash: string): Promise<string> {
  const execution = await start(store, { tenantId });
  const output = inlineReference({ hash, size: 1 });
  await commitOne(store, makePlan(execution, { events: [makeCompleted(output)] }));
  return execution.executionId.slice('exec_'.length);
}

/** A third session asks, because the server repeats its first answer within a transaction. */
async function untilWaiting({ database }: RetentionScene): Promise<void> {
  await eventually(async () => {
    const { rows } = await runOnServer(
      database.url,
      `select
       from pg_stat_activity a
       where a.datname = current_database()
         and a.wait_event_type = 'Lock'`,
    );
    if (rows.length === 0) throw new Error('nobody waits');
  });
}
