import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { Config } from '../../shared/config/config.ts';
import type { DatabaseLocation } from '../../shared/config/database-url.ts';
import { checkSchema } from '../../shared/store/opening/migrate.ts';
import { openStore } from '../../shared/store/opening/open.ts';
import type { Store } from '../../shared/store/store.ts';
import type { Metrics } from '../../shared/telemetry/metrics.ts';
import type { Logger } from '../../shared/telemetry/log.ts';
import { explainDatabaseError } from './explain-database-error.ts';
import { StartError } from '../start-error.ts';

const DELAY_MS_MIN = 500;
const DELAY_MS_MAX = 3_000;

export interface OpenDatabase {
  readonly database: DatabaseLocation;
  readonly config: Config;
  readonly applicationName: string;
  /** How long to keep trying while PostgreSQL is unreachable or starting; 0: one try. */
  readonly waitMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly metrics: Pick<Metrics, 'onReplicaRead'>;
}

/** A store whose schema is the one this program knows. Waits for a PostgreSQL that is starting. */
export async function openDatabase(params: OpenDatabase): Promise<Store> {
  const { database, waitMs, log, signal } = params;
  const startedAt = performance.now();
  let delayMs = DELAY_MS_MIN;
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryOnce(params);
    } catch (thrown) {
      const { error, mayPass } = explainDatabaseError(thrown, database);
      const leftMs = waitMs - (performance.now() - startedAt);
      if (!mayPass || leftMs <= 0) throw error;
      log.warn(
        { attempt, seconds_left: Math.ceil(leftMs / 1000) },
        `${error.message}; trying again`,
      );
      await delay(Math.min(delayMs, leftMs), undefined, { signal });
      delayMs = Math.min(delayMs * 2, DELAY_MS_MAX);
    }
  }
}

/**
 * Claims an SQLite file for this process, for as long as the answer is kept: before the first look
 * at the database, so that of two processes started together only one migrates.
 */
export async function claimDatabaseFile(path: string): Promise<Disposable> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StartError(`database file "${path}" is a directory: name a file in it`);
  }
  const { lockDatabaseFile } = await import('../../shared/store/sqlite/connection/process-lock.ts');
  const lock = lockDatabaseFile(path);
  return { [Symbol.dispose]: () => lock.release() };
}

async function tryOnce(params: OpenDatabase): Promise<Store> {
  const { database, config, applicationName, log, metrics } = params;
  await checkSchema({
    ...database,
    autoMigrate: config.database.autoMigrate,
    log: (line) => log.info(line),
  });
  return openStore({
    database:
      database.dialect === 'sqlite'
        ? database
        : {
            ...database,
            poolSize: config.database.poolSize,
            maxOverflow: config.database.maxOverflow,
          },
    applicationName,
    onBackgroundError: (error) =>
      log.warn({ err: error }, 'a database connection failed; opening another'),
    onReplica: {
      read: (outcome) => metrics.onReplicaRead(outcome),
      changed: (state, reason) => {
        if (state === 'used')
          log.info({ replica: state, reason }, 'lists are read from database.read_url');
        else
          log.warn(
            { replica: state, reason },
            'lists are read from the primary, not from database.read_url',
          );
      },
    },
  });
}
