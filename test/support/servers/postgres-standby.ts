import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

import { startPostgresServer, type PostgresServer } from './postgres-server.ts';

/**
 * Starts a standby that streams from a running server. It uses only functions of the server, because
 * the package of the tests lacks pg_basebackup.
 */
export async function startStandby(
  primary: PostgresServer,
  { name }: { readonly name: string },
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-standby-'));
  const backup = join(folder, 'data');
  try {
    await copyData(primary, backup);
    writeFileSync(join(backup, 'standby.signal'), '');
    return await startPostgresServer({
      backup,
      configuration: `primary_conninfo = '${primaryConninfo(primary.url, name)}'\n`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function primaryConninfo(url: string, name: string): string {
  const { hostname, port } = new URL(url);
  return `host=${hostname} port=${port} user=postgres application_name=${name}`;
}

/** Copies the files of a running server; one connection, because its end would end the backup. */
export async function copyData(
  primary: Pick<PostgresServer, 'url' | 'dataFolder'>,
  target: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', fast => true)`);
    cpSync(primary.dataFolder, target, {
      recursive: true,
      // Leaves out files of the running server, which are no data.
      filter: (path) => !/\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_stat_tmp\/.+)$/.test(path),
    });
    const { rows } = await client.query<{ readonly labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    writeFileSync(join(target, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}
