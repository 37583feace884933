import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';

import { ids } from '../../src/runtime/ids.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import { writeArtifact } from '../../src/shared/engine/artifacts/write-artifact.ts';
import { runOnServer, type Dialect } from '../support/database.ts';
import { end, openRetentionScene, startEnded } from '../shared/engine/retention/retention-scene.ts';
import { partitionAt, partitionPast, startAt } from '../shared/store/postgres/partition-scene.ts';
import { createFolder, runSvc, type Outcome } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const TENANT = 'acme' as TenantId;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: policies are set, shown and taken back; a run removes what they say`, async (t) => {
    const { store, database, seal, age } = await openRetentionScene(t, dialect);
    const svc = (...args: string[]): Promise<Outcome> =>
      runSvc([...args, '--database-url', database.url], { cwd: folder.path });
    const executions = [
      await startEnded(store, { tenantId: TENANT }),
      await startEnded(store, { tenantId: TENANT, status: 'failed' }),
    ];
    await startEnded(store);
    await seal();
    await age(31);

    const nothing = await svc('retention', 'run');
    t.is(nothing.code, 0, nothing.stderr);
    t.is(nothing.stdout, '0 executions with 0 events removed\n');

    const set = await svc('retention', 'set', '--tenant', 'acme', '--completed', '30');
    t.is(set.code, 0, set.stderr);
    t.regex(set.stdout, /acme +\(all others\) +30 days +- +-/);
    const listed = await svc('retention', 'list', '-o', 'json');
    t.deepEqual(JSON.parse(listed.stdout), {
      policies: [
        {
          tenant_id: 'acme',
          workflow_id: null,
          completed_days: 30,
          failed_days: null,
          cancelled_days: null,
        },
      ],
      default: { completed: 0, failed: 0, cancelled: 0 },
    });

    const preview = await svc('retention', 'preview', '-o', 'json');
    t.like(JSON.parse(preview.stdout), {
      groups: [
        { tenant_id: 'acme', workflow_id: 'greet', status: 'completed', executions: 1, events: 3 },
      ],
      executions: 1,
      events: 3,
      partitions: [],
    });
    const { estimated_bytes: bytes } = JSON.parse(preview.stdout) as { estimated_bytes: number };
    t.true(bytes > 3 * 100 && bytes < 3 * 1_000, `${bytes} bytes`);
    t.is((await svc('retention', 'run', '--dry-run', '-o', 'json')).stdout, preview.stdout);

    const archive = join(folder.path, `archive-${dialect}`);
    const ran = await svc('retention', 'run', '--archive', archive, '-o', 'json');
    t.is(ran.code, 0, ran.stderr);
    t.deepEqual(JSON.parse(ran.stdout), {
      executions: 1,
      events: 3,
      batches: 1,
      passed_over: 0,
      replay_records: 0,
      artifacts: 0,
      artifact_bytes: 0,
      ended: true,
    });
    t.is(await store.executions.find(executions[0]?.executionId ?? ('' as never), null), null);
    const names = readdirSync(join(archive, 'acme')).toSorted();
    t.is(names.length, 2);
    const [manifestName = '', fileName = ''] = names;
    const manifest = JSON.parse(readFileSync(join(archive, 'acme', manifestName), 'utf8')) as {
      readonly sha256: string;
    };
    const file = readFileSync(join(archive, 'acme', fileName));
    t.like(manifest, {
      format: 'svc.archive.1',
      file: fileName,
      sha256: createHash('sha256').update(file).digest('hex'),
      bytes: file.length,
      executions: 1,
      events: 3,
    });
    const lines = gunzipSync(file).toString().split('\n');
    t.is(lines.length, 2);
    t.like(JSON.parse(lines[0] ?? ''), {
      format: 'svc.execution.1',
      execution: { execution_id: executions[0]?.executionId, status: 'completed' },
      events: [{ sequence: 1, kind: 'WorkflowStarted' }, { sequence: 2 }, { sequence: 3 }],
    });

    const verified = await svc('audit', 'verify');
    t.is(verified.code, 0, verified.stdout);
    t.regex(verified.stdout, /of these, 3 were removed by retention with 1 executions/);
    const exported = await svc('audit', 'export', '--tenant', 'acme');
    t.false(exported.stdout.includes(executions[0]?.executionId ?? 'none'));
    t.true(exported.stdout.includes(`acme/${fileName}`));

    const old = await svc('retention', 'run', '--older-than', '30d', '--status', 'failed');
    t.is(old.stdout, '1 executions with 3 events removed\n');

    t.is((await svc('retention', 'remove', '--tenant', 'acme')).code, 0);
    const again = await svc('retention', 'remove', '--tenant', 'acme');
    t.is(again.code, 1);
    t.regex(again.stderr, /tenant acme has no retention policy/);
  });

  test(`${dialect}: a run removes artifacts that nothing refers to, and a preview counts them`, async (t) => {
    const { store, database, tenantId } = await openRetentionScene(t, dialect);
    await writeArtifact(
      { store: store.artifacts, ids },
      {
        tenantId,
        contentType: 'text/plain',
        content: [Buffer.from('never used')],
        bytesMax: 100,
        actorId: 'token:ci',
      },
    );
    const columns = ['created_at', 'unused_since'];
    await database.age({ table: 'artifacts', columns, byMs: 8 * 86_400_000 });
    const svc = (...args: string[]): Promise<Outcome> =>
      runSvc(['retention', ...args, '--database-url', database.url], { cwd: folder.path });
    t.is((await svc('run')).stdout, '0 executions with 0 events removed\n', 'nothing is asked for');
    // The runtime must read its content first, because it may contain references.
    await store.unusedArtifacts.noteRead(
      (await store.unusedArtifacts.listUnread({ limit: 10 })).map((artifact) => ({
        ...artifact,
        names: [],
      })),
    );
    const told = await svc('preview', '--older-than', '30d');
    t.regex(told.stderr, /1 artifacts with 10 B without references would be removed now/);
    const shown = await svc('preview', '--older-than', '30d', '-o', 'json');
    t.like(JSON.parse(shown.stdout), { unused_artifacts: { artifacts: 1, bytes: 10 } });
    const ran = await svc('run', '--older-than', '30d');
    t.is(ran.stdout, '0 executions with 0 events removed, 1 artifacts with 10 B removed\n');
    const tables = await database.contents();
    t.deepEqual([tables['artifacts'], tables['artifact_chunks']], [[], []]);
  });

  test(`${dialect}: nothing is removed where the archive cannot be written`, async (t) => {
    const { store, database, seal, age } = await openRetentionScene(t, dialect);
    const execution = await startEnded(store);
    await seal();
    await age(31);
    const ran = await runSvc(
      [
        'retention',
        'run',
        '--older-than',
        '1d',
        '--archive',
        '/dev/null/archive',
        '--database-url',
        database.url,
      ],
      { cwd: folder.path },
    );
    t.is(ran.code, 1);
    t.regex(ran.stderr, /archive/);
    t.not(await store.executions.find(execution.executionId, null), null);
  });
}

test('values that make no sense are refused', async (t) => {
  const refused = async (args: readonly string[], message: RegExp) => {
    const outcome = await runSvc(
      ['retention', ...args, '--database-url', join(folder.path, 'x.db')],
      {
        cwd: folder.path,
      },
    );
    t.is(outcome.code, 2, args.join(' '));
    t.regex(outcome.stderr, message);
  };
  await refused(['set'], /give --completed, --failed or --cancelled/);
  await refused(['set', '--completed', '-1'], /number of days/);
  await refused(['set', '--completed', '40000'], /number of days/);
  await refused(['preview', '--older-than', '1h'], /one day at least/);
  await refused(['run', '--batch', '0'], /from 1 to 1000/);
  await refused(['run', '--status', 'running'], /Allowed choices/);
  await refused(['run', '--tenant', 'No Tenant'], /not a tenant id/);
});

test('a preview tells which partitions of events a run would drop, and the run drops them', async (t) => {
  const { store, database, tenantId, seal, age } = await openRetentionScene(t, 'postgres');
  await partitionPast(database.url);
  const old = await startAt({ store, tenantId }, -38);
  await startAt({ store, tenantId }, -30);
  await end(store, old);
  await seal();
  await age(31);
  const svc = (...args: string[]): Promise<Outcome> =>
    runSvc(['retention', ...args, '--older-than', '30d', '--database-url', database.url], {
      cwd: folder.path,
    });
  const name = await partitionAt(database.url, -38);
  const shown = JSON.parse((await svc('preview', '-o', 'json')).stdout) as {
    readonly partitions: readonly object[];
  };
  t.is(shown.partitions.length, 2);
  t.like(shown.partitions[0], { name, executions: 1, due: 1, dropped: 'with_this_run' });
  t.like(shown.partitions[1], { executions: 1, due: 0, dropped: 'not_yet' });
  const told = await svc('preview');
  t.regex(told.stdout, new RegExp(`${name} .* 1 +1 +with this run`));
  const ran = await svc('run');
  t.is(ran.stdout, '1 executions with 3 events removed\n');
  t.regex(ran.stderr, /1 partitions dropped/);
  const { rows } = await runOnServer(database.url, `select to_regclass('${name}') as name`);
  t.deepEqual(rows, [{ name: null }]);
});
