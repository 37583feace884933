import { executionOf, idOf, rowsOf, TABLES, type Rows } from './as-last-seen.ts';
import type { Dump } from './dump.ts';
import type { Deed, History } from './history.ts';

/*
 * Imported events did not happen here, so most rules are not about them: `checkImports` judges
 * them. An execution that an import brought back is for them as it was before its removal.
 */

/** The executions that were imported until then, whether or not they were removed again. */
export function importedIn(dump: Dump): ReadonlySet<string> {
  return new Set((dump.imported_executions ?? []).map(executionOf));
}

export function withoutImported(given: {
  readonly dumps: readonly Dump[];
  readonly history: History;
}): { readonly dumps: readonly Dump[]; readonly history: History } {
  const records = given.dumps.at(-1)?.imported_executions ?? [];
  const isHere = ({ asks }: Deed): boolean => asks.do !== 'import';
  const deeds = given.history.deeds.filter(isHere);
  if (records.length === 0) return { dumps: given.dumps, history: { ...given.history, deeds } };
  const copies = new Set(records.filter((row) => row.retirement_id === null).map(executionOf));
  const isOwn = ({ asks, answer }: Deed): boolean => {
    const asked = 'executionId' in asks ? asks.executionId : null;
    const told = answer?.body['execution_id'];
    return ![asked, told].some((id) => typeof id === 'string' && copies.has(id));
  };
  return {
    dumps: given.dumps.map(withoutRows),
    history: { ...given.history, deeds: deeds.filter(isOwn) },
  };
}

function withoutRows(dump: Dump): Dump {
  const imported = importedIn(dump);
  if (imported.size === 0) return dump;
  const isOther = (row: Rows[number]): boolean => !imported.has(idOf(row) ?? '');
  const tables = TABLES.map((table) => [table, rowsOf(dump, table).filter(isOther)]);
  return { ...dump, ...(Object.fromEntries(tables) as Partial<Dump>) };
}
