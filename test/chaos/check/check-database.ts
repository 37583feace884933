import { checkSecrets } from '../../invariants/checks/check-secrets.ts';
import type { Violation } from '../../invariants/violation.ts';
import { verifyAudit } from '../../../src/shared/engine/audit/verify-audit.ts';
import { openStore } from '../../../src/shared/store/opening/open.ts';
import { runOnServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

/** The findings in the whole database, and the number of things that the check has read. */
export interface DatabaseVerdict {
  readonly violations: readonly Violation[];
  readonly exercised: Readonly<Record<string, number>>;
}

/**
 * Checks that the audit log matches its seals, and that no column of any table contains a secret.
 */
export async function checkDatabase(params: {
  /** The URL of a user who may read everything. */
  readonly url: string;
  readonly secrets: readonly string[];
}): Promise<DatabaseVerdict> {
  const { url, secrets } = params;
  const texts = await readTables(url);
  const audit = await verifyLog(url);
  return {
    violations: [
      ...checkSecrets({ history: { deeds: [] }, secrets, texts }),
      ...(audit.items === audit.written
        ? []
        : [
            {
              rule: 'the audit log seals everything that was written',
              saw: `${audit.items} items are sealed of ${audit.written}`,
            },
          ]),
      ...audit.problems.map(({ what, windowNumber, row }) => ({
        rule: 'the audit log is as it was sealed',
        about: { window: windowNumber ?? 'none', item: row?.id ?? '' },
        saw: what,
      })),
    ],
    exercised: {
      'tables read': Object.keys(texts).length,
      'audit windows sealed meanwhile': audit.sealedBefore,
      'audit items verified': audit.items,
      'audit items proved by the hashes of what was removed': audit.removed,
    },
  };
}

/** All rows of each table, as text; printable bytes are shown as letters. */
async function readTables(url: string): Promise<Readonly<Record<string, string>>> {
  const readable = new URL(url);
  readable.searchParams.set('options', '-c bytea_output=escape');
  const { rows } = await runOnServer(
    readable.href,
    `select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  const texts: Record<string, string> = {};
  for (const { tablename: table } of rows as { readonly tablename: string }[]) {
    const found = await runOnServer(
      readable.href,
      `select coalesce(string_agg(t::text, e'\\n'), '') as text from ${table} t`,
    );
    texts[`table ${table}`] = (found.rows[0] as { readonly text: string }).text;
  }
  return texts;
}

/** Verifies what the run has sealed, then seals the rest and verifies everything again. */
async function verifyLog(url: string) {
  const store = await openStore({
    database: { dialect: 'postgres', url, poolSize: 1, maxOverflow: 0 },
    applicationName: 'chaos-check',
  });
  try {
    const all = { tenantId: null, expected: null };
    const before = await verifyAudit(store.audit, all);
    const written = await eventually(
      async () => {
        while ((await store.audit.seal({ itemsMax: SEALED_MAX, lagMs: 0 })).more);
        const { rows } = await runOnServer(url, UNSEALED);
        const { written: count, unsealed } = rows[0] as Record<'written' | 'unsealed', number>;
        if (unsealed > 0) throw new Error(`${unsealed} items cannot be sealed`);
        return count;
      },
      { withinMs: SEAL_MS_MAX },
    );
    const { items, retiredItems, problems } = await verifyAudit(store.audit, all);
    return {
      sealedBefore: before.windows,
      items: items - retiredItems,
      removed: retiredItems,
      written,
      problems: before.problems.length > 0 ? before.problems : problems,
    };
  } finally {
    await store.close();
  }
}

const SEALED_MAX = 5_000;
/** The log can seal the last writes only a minute later. */
const SEAL_MS_MAX = 100_000;

const UNSEALED = `
  select
    count(*)::int as written,
    (count(*) filter (
      where created_at >= coalesce((select max(covers_to) from audit_windows), '-infinity')
    ))::int as unsealed
  from (
    -- Imported events are no items.
    select created_at
    from events e
    where not exists (select from imported_executions m where m.execution_id = e.execution_id)
    union all
    select created_at from audit_log
  ) as i`;
