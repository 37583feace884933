import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { ids } from '../../../../src/runtime/ids.ts';
import { inlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import { readArtifact } from '../../../../src/shared/engine/artifacts/read-artifact.ts';
import { writeArtifact } from '../../../../src/shared/engine/artifacts/write-artifact.ts';
import type { Dialect } from '../../../support/database.ts';
import { commitOne, start } from '../../store/contract/drive.ts';
import { makeCompleted, makePlan } from '../../store/contract/make.ts';
import { openRetentionScene } from './retention-scene.ts';

const PROGRAM = fileURLToPath(new URL('collect-until-killed.ts', import.meta.url));

const STEPS = ['reading', 'noting', 'removing', 'removed', 'deleting', 'none'];

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: killed at any step, each artifact is whole or gone, and the next run ends it`, async (t) => {
    t.timeout(120_000);
    const { store, database, seal, tenantId } = await openRetentionScene(t, dialect);
    const hashes: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { hash } = await writeArtifact(
        { store: store.artifacts, ids },
        {
          tenantId,
          contentType: 'application/json',
          content: [Buffer.from(`"content ${index}"`)],
          bytesMax: 1_000,
          actorId: null,
        },
      );
      hashes.push(hash);
    }
    const kept = hashes.slice(0, 6);
    for (const hash of kept) {
      const execution = await start(store, { tenantId });
      const output = inlineReference({ hash, size: 1 });
      await commitOne(store, makePlan(execution, { events: [makeCompleted(output)] }));
    }
    await seal();
    const columns = ['created_at', 'unused_since'];
    await database.age({ table: 'artifacts', columns, byMs: 8 * 86_400_000 });
    for (const step of STEPS) {
      const child = spawn(process.execPath, [PROGRAM, database.url, step], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      t.is(signal, step === 'none' ? null : 'SIGKILL', step);
      const found = await store.artifacts.find({ tenantId, hashes });
      t.true(
        kept.every((hash) => found.some((artifact) => artifact.hash === hash)),
        step,
      );
      for (const artifact of found) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of readArtifact(store.artifacts, { tenantId, artifact })) {
          chunks.push(chunk);
        }
        t.is(Buffer.concat(chunks).length, artifact.size, step);
      }
    }
    const tables = await database.contents();
    t.is(tables['artifacts']?.length, 6);
    t.is(tables['artifact_chunks']?.length, 6);
    t.is(tables['artifact_uploads']?.length, 0);
  });
}
