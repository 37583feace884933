import { setTimeout as delay } from 'node:timers/promises';

import { readTables } from '../support/stores.ts';

/** Every row of the tables that requests write. Equal states mean that nothing was written. */
export type DatabaseState = Readonly<Record<string, readonly string[]>>;

/**
 * Tables that processes write without a request: their own presence, seals over older entries, and
 * the results of further deliveries.
 */
const BY_THEMSELVES = ['workers', 'audit_windows', 'audit_seals', 'webhook_deliveries'];

export async function readState(databaseUrl: string): Promise<DatabaseState> {
  const tables = Object.entries(await readTables(databaseUrl));
  return Object.fromEntries(tables.filter(([name]) => !BY_THEMSELVES.includes(name)));
}

const QUIET_MS = 60;
const QUIET_TRIES_MAX = 60;

/** The state when nothing changes it any more; null if changes continue. */
export async function readQuietState(databaseUrl: string): Promise<DatabaseState | null> {
  let last = await readState(databaseUrl);
  for (let tries = 0; tries < QUIET_TRIES_MAX; tries += 1) {
    await delay(QUIET_MS);
    const next = await readState(databaseUrl);
    if (compareStates(last, next).length === 0) return next;
    last = next;
  }
  return null;
}

/** Added and removed rows, as `table: + row` and `table: - row`. */
export function compareStates(before: DatabaseState, after: DatabaseState): readonly string[] {
  return Object.keys({ ...before, ...after }).flatMap((table) => {
    const [old, now] = [before[table] ?? [], after[table] ?? []];
    const [oldRows, newRows] = [new Set(old), new Set(now)];
    const gone = old.filter((row) => !newRows.has(row)).map((row) => `${table}: - ${row}`);
    const come = now.filter((row) => !oldRows.has(row)).map((row) => `${table}: + ${row}`);
    const others = gone.length + come.length === 0 && old.length !== now.length;
    return others ? [`${table}: ${old.length} rows, then ${now.length}`] : [...gone, ...come];
  });
}
