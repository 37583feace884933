import type { ExecutionContext } from 'ava';
import Database from 'better-sqlite3';

import { checkInvariants } from '../../invariants/check-invariants.ts';
import type { Dump } from '../../invariants/dump.ts';
import type { Deed, History } from '../../invariants/history.ts';
import { POSTGRES_DUMP } from '../../invariants/read-postgres-dump.ts';
import { readSqliteDump } from '../../invariants/read-sqlite-dump.ts';
import { describe } from '../../invariants/violation.ts';
import { runOnServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePath } from '../../support/stores.ts';

const END_MS_MAX = 60_000;

/** Waits until every execution has ended. Returns the violations as text, and the checked dump. */
export async function checkWhenEnded(params: {
  readonly url: string;
  readonly history: History;
  /** The rows come from a dump, so the transactions that wrote them are unknown. */
  readonly isCopy?: boolean;
}): Promise<{ readonly found: readonly string[]; readonly dump: Dump }> {
  const dump = await eventually(
    async () => {
      const taken = await readDump(params.url);
      const open = taken.executions.filter(({ status }) => status === 'running').length;
      if (open > 0) throw new Error(`${open} executions are running`);
      return taken;
    },
    { withinMs: END_MS_MAX },
  );
  const { history } = params;
  if (params.isCopy === true) forgetWriters(dump);
  const found = checkInvariants({ history, dumps: [dump], wellSince: dump.takenAt, limits: {} });
  return { found: found.map(describe), dump };
}

/**
 * The deeds before a restore, without their answers: each change may exist or not. The changes of
 * `kept` exist.
 */
export function forgotten(
  { deeds }: History,
  kept: ReadonlySet<Deed> = new Set(),
): History['deeds'] {
  return deeds.map((deed) => (kept.has(deed) ? deed : { ...deed, ended: null, answer: null }));
}

/** A history that follows the last one as it grows. */
export function together(earlier: History['deeds'], last: History): History {
  return {
    get deeds() {
      return [...earlier, ...last.deeds];
    },
  };
}

function forgetWriters(dump: Dump): void {
  for (const rows of Object.values(dump).filter((value) => Array.isArray(value))) {
    for (const row of rows as { written_in?: string }[]) delete row.written_in;
  }
}

export async function readDump(url: string): Promise<Dump> {
  if (!url.startsWith('sqlite:')) {
    const { rows } = await runOnServer(url, POSTGRES_DUMP);
    return (rows[0] as { readonly dump: Dump }).dump;
  }
  const database = new Database(sqlitePath(url), { readonly: true });
  try {
    return { takenAt: Date.now(), ...readSqliteDump(database) };
  } finally {
    database.close();
  }
}

export async function assertEndsWell(
  t: ExecutionContext,
  params: {
    readonly url: string;
    readonly history: History;
    /** Fewer executions prove nothing. */
    readonly least: number;
  },
): Promise<void> {
  const { found, dump } = await checkWhenEnded(params);
  t.deepEqual(found, []);
  t.true(dump.executions.length >= params.least, `${dump.executions.length} executions`);
}
