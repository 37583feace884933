import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import test from 'ava';
import Database from 'better-sqlite3';

import { DEFAULT_TENANT, executionIdFromUuid } from '../../../../src/shared/domain/ids.ts';
import { openTestStore, sqlitePath } from '../../../support/stores.ts';
import { claim } from '../contract/drive.ts';
import { makeUuid } from '../contract/make.ts';

const WRITER = fileURLToPath(new URL('commit-until-killed.ts', import.meta.url));
const ROUNDS = 4;
const COMMITS_MIN = 50;

test('a process killed while it writes loses no confirmed write, and tears nothing', async (t) => {
  const { store, url, close } = await openTestStore('sqlite');
  t.teardown(close);
  for (let round = 0; round < ROUNDS; round += 1) {
    const uuid = makeUuid();
    const acknowledged = await writeUntilKilled({ path: sqlitePath(url), uuid });
    const executionId = executionIdFromUuid(uuid);
    const row = await store.executions.find(executionId, DEFAULT_TENANT);
    const events = await store.executions.events({ executionId, after: 0, limit: null });
    const last = row?.lastSequence ?? 0;
    t.true(last >= acknowledged, `${acknowledged} was acknowledged, ${last} is the last`);
    t.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: last }, (_, index) => index + 1),
    );
    // Each commit wrote two events and one item: both or neither exist.
    const items = await claim(store, DEFAULT_TENANT, { limit: 1_000_000 });
    t.is(items.length, last / 2);
  }
  const database = new Database(sqlitePath(url));
  t.is(database.pragma('integrity_check', { simple: true }), 'ok');
  database.close();
});

/** Returns the last sequence that the process acknowledged before it was killed. */
async function writeUntilKilled(params: {
  readonly path: string;
  readonly uuid: string;
}): Promise<number> {
  const writer = spawn(process.execPath, [WRITER, params.path, params.uuid], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged = Number(line);
    if (acknowledged >= 2 * COMMITS_MIN) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  return acknowledged;
}
