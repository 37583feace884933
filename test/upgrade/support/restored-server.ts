import { cpSync, mkdtempSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import {
  SERVER_OWNER,
  startPostgresServer,
  type PostgresServer,
} from '../../support/servers/postgres-server.ts';

/*
 * A server with an archive of its write-ahead log, a base backup, and servers restored from both,
 * as operators do it. It uses only functions of the server, because the package of the tests lacks
 * pg_basebackup.
 */

export interface ArchivedServer {
  readonly server: PostgresServer;
  /** Copies the files while the server continues to write. */
  takeBaseBackup(): Promise<void>;
  /** Marks a moment to restore, and waits until the archive contains the log up to it. */
  markRestorePoint(name: string): Promise<void>;
  restoreTo(name: string): Promise<PostgresServer>;
  stop(): Promise<void>;
}

export async function startArchivedServer(): Promise<ArchivedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-archive-'));
  const [archive, backup] = [join(folder, 'archive'), join(folder, 'backup')];
  mkdirSync(archive);
  const { uid, gid } = SERVER_OWNER;
  if (uid !== undefined && gid !== undefined) {
    for (const path of [folder, archive]) chownSync(path, uid, gid);
  }
  const started: PostgresServer[] = [];
  const start = async (options: Parameters<typeof startPostgresServer>[0]) => {
    const server = await startPostgresServer(options);
    started.push(server);
    return server;
  };
  const server = await start({
    configuration: `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`,
  });
  return {
    server,
    takeBaseBackup: () => takeBaseBackup({ server, backup }),
    markRestorePoint: (name) => markRestorePoint(server, name),
    restoreTo: (name) => {
      writeFileSync(join(backup, 'recovery.signal'), '');
      return start({
        backup,
        configuration: `archive_mode = off
          restore_command = 'cp ${archive}/%f %p'
          recovery_target_name = '${name}'
          recovery_target_action = 'promote'\n`,
      });
    },
    stop: async () => {
      await Promise.all(started.map((one) => one.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Uses one connection, because its end would end the backup. */
async function takeBaseBackup(of: {
  readonly server: PostgresServer;
  readonly backup: string;
}): Promise<void> {
  const client = new pg.Client({ connectionString: of.server.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('base', fast => true)`);
    cpSync(of.server.dataFolder, of.backup, {
      recursive: true,
      // Leaves out files of the running server, which are no data.
      filter: (path) => !/\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_stat_tmp\/.+)$/.test(path),
    });
    const { rows } = await client.query<{ readonly labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => true)',
    );
    writeFileSync(join(of.backup, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

async function markRestorePoint(server: PostgresServer, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly segment: string }>(
      `with point as materialized (select pg_create_restore_point('${name}') as at)
       select pg_walfile_name(at) as segment from point`,
    );
    await client.query('select pg_switch_wal()');
    await untilArchived(client, rows[0]?.segment ?? '');
  } finally {
    await client.end();
  }
}

async function untilArchived(client: pg.Client, segment: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ readonly last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    );
    if ((rows[0]?.last ?? '') >= segment) return;
  }
}
