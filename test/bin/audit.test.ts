import test from 'ava';

import type { TenantId } from '../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../src/shared/store/postgres/open.ts';
import type { Dialect } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openTestStore, tamperWith } from '../support/stores.ts';
import { commitOne, start } from '../shared/store/contract/drive.ts';
import { makeEvent, makePlan } from '../shared/store/contract/make.ts';
import { createFolder, runSvc, type Outcome } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const TENANT = 'acme' as TenantId;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: the log is verified, exported, and found out when it was changed`, async (t) => {
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = (...args: string[]): Promise<Outcome> =>
      runSvc(['audit', ...args, '--database-url', url], { cwd: folder.path });

    const empty = await svc('verify');
    t.is(empty.code, 0, empty.stderr);
    t.is(empty.stdout, '0 items in 0 windows match their seals\n');

    const execution = await start(store, { tenantId: TENANT });
    await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
    await start(store);
    await sealAll(dialect, url, store);
    const verified = await svc('verify');
    t.is(verified.code, 0, verified.stderr);
    t.regex(verified.stdout, /^4 items in \d windows match their seals up to \d{4}-/);
    const head = /^head (\d+:[0-9a-f]{64})$/m.exec(verified.stdout)?.[1] ?? '';
    t.is((await svc('verify', '--head', head, '--tenant', 'acme')).code, 0);

    const exported = await svc('export', '--tenant', 'acme');
    t.is(exported.code, 0, exported.stderr);
    const lines = exported.stdout.trimEnd().split('\n');
    const items = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    t.deepEqual(
      items.map(({ event_type: type, sequence }) => [type, sequence]),
      [
        ['workflow_started', 1],
        ['node_started', 2],
        ['node_started', 3],
      ],
    );
    t.like(items[1], {
      tenant_id: 'acme',
      execution_id: execution.executionId,
      node_id: 'node',
      actor_id: 'system:scheduler',
      payload: { visit: 0 },
    });
    t.is((await svc('export', '--until', '2020-01-01')).stdout, '');
    t.is((await svc('export', '--since', '2020-01-01')).stdout.split('\n').length, 5);

    await tamperWith(url, 'events', `update events set actor_id = 'token:x' where sequence = 3`);
    const found = await svc('verify', '-o', 'json');
    t.is(found.code, 1);
    t.regex(found.stderr, /^database: .*\nerror: the audit log does not match its seals\n$/);
    const verdict = JSON.parse(found.stdout) as { readonly problems: readonly object[] };
    t.like(verdict, { ok: false });
    t.like(verdict.problems[0], {
      what: 'row_changed',
      tenant_id: 'acme',
      row: { id: items[2]?.['id'], execution_id: execution.executionId, sequence: 3 },
    });
    t.regex(
      (await svc('verify')).stdout,
      /^changed after it was sealed: item [0-9a-f-]{36}, event 3/,
    );

    await tamperWith(url, 'audit_windows', 'delete from audit_windows');
    const cut = await svc('verify', '--head', head);
    t.is(cut.code, 1);
    t.regex(cut.stdout, /the sealed window is missing/);
  });
}

for (const args of [
  ['verify', '--tenant', 'Acme!'],
  ['verify', '--head', '12:abc'],
  ['export', '--since', 'yesterday'],
]) {
  test(`2: svc audit ${args.join(' ')}`, async (t) => {
    const { code, stdout, stderr } = await runSvc(['audit', ...args], { cwd: folder.path });
    t.is(code, 2, stderr);
    t.is(stdout, '');
  });
}

async function sealAll(
  dialect: Dialect,
  url: string,
  own: Awaited<ReturnType<typeof openTestStore>>['store'],
): Promise<void> {
  const finalMs = 0;
  const sealer =
    dialect === 'sqlite'
      ? own
      : await openPostgresStore({ url, poolSize: 1, maxOverflow: 0, audit: { finalMs } });
  let sealed = 0;
  await eventually(async () => {
    sealed += (await sealer.audit.seal({ itemsMax: 100, lagMs: 0 })).items;
    if (sealed < 4) throw new Error(`${sealed} items are sealed`);
  });
  if (sealer !== own) await sealer.close();
}
