import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { asLastSeen } from '../../../invariants/as-last-seen.ts';
import { readArchives } from '../../../chaos/check/read-archives.ts';
import { checkArchives } from '../../../invariants/checks/check-archives.ts';
import { checkHistories } from '../../../invariants/checks/check-histories.ts';
import { checkRetired } from '../../../invariants/checks/check-retired.ts';
import type { Dialect } from '../../../support/database.ts';
import { readDump } from '../../../upgrade/support/checked.ts';
import { archiveTo } from '../../../../src/runtime/archive-to.ts';
import { start } from '../../store/contract/drive.ts';
import { openRetentionScene, startEnded } from './retention-scene.ts';

const PROGRAM = fileURLToPath(new URL('retain-until-killed.ts', import.meta.url));

const STEPS = [
  'before-archive',
  'archiving',
  'after-archive',
  'before-retire',
  'retiring',
  'after-retire',
  'before-forget',
  'forgetting',
  'after-forget',
];

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: killed at any step, each execution exists or is gone, and the next run ends it`, async (t) => {
    t.timeout(180_000);
    const { store, database, seal, age, verify, run, tenantId } = await openRetentionScene(
      t,
      dialect,
    );
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-archive-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const parent = await startEnded(store, { tenantId });
    for (let index = 0; index < 47; index += 1) {
      const create = { parentExecutionId: index % 5 === 0 ? parent.executionId : null };
      await startEnded(store, { tenantId, create });
    }
    await start(store, { tenantId });
    await seal();
    await age(31);
    const dumps = [await readDump(database.url)];
    const [seen] = dumps;
    const archivesOf = (dump = seen) =>
      dump === undefined || seen === undefined
        ? ['nothing was read']
        : checkArchives({ archives: readArchives(folder) }, { dump, seen });
    for (const [round, step] of STEPS.entries()) {
      const time = step.includes('forget') ? 1 : 1 + (round % 2);
      await runUntilKilled([database.url, folder, step, `${time}`]);
      dumps.push(await readDump(database.url));
      const judged = asLastSeen({ dumps, history: { deeds: [] } });
      t.deepEqual(
        [
          ...checkRetired(dumps),
          ...checkHistories(judged.dumps, judged.history),
          ...archivesOf(dumps.at(-1)),
        ],
        [],
        step,
      );
      t.deepEqual((await verify()).problems, [], step);
    }
    const left = dumps[STEPS.indexOf('after-retire') + 1]?.executions.length ?? 0;
    t.true(left > 1 && left < 49, `${left} executions are left`);
    await run({ olderThanMs: 86_400_000, archive: archiveTo(folder, store) });
    const last = await readDump(database.url);
    t.is(last.executions.length, 1);
    t.is(last.retired_executions?.length, 48);
    t.like(await verify(), { problems: [], retiredExecutions: 48 });
    t.deepEqual(archivesOf({ ...last, removal: 'over' }), []);
  });
}

async function runUntilKilled(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`it was not killed at ${args.join(' ')}: ${code}`);
}
