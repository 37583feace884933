import type { Dump } from './dump.ts';
import type { Deed, History } from './history.ts';

/*
 * The checker judges executions that retention has removed in their last known state: it puts their
 * rows back into the dumps that lack them. If no dump shows the end of a removed execution, the
 * checker can't judge it, and it leaves out what clients read about it. Every removed execution
 * eventually answers 404, so it leaves out those answers too.
 */

export type Rows = readonly { readonly execution_id?: string | null; readonly id?: string }[];

/** Tables that must keep no row of a removed execution. Other tables have their own retention. */
export const TABLES = [
  'executions',
  'events',
  'work_items',
  'work_queue',
  'work_leases',
  'retry_timers',
  'timers',
  'runnable',
  'recorded_outputs',
  'dead_letters',
  'snapshots',
  'execution_usage',
  'execution_labels',
] as const satisfies readonly (keyof Dump)[];

export function asLastSeen(given: { readonly dumps: readonly Dump[]; readonly history: History }): {
  readonly dumps: readonly Dump[];
  readonly history: History;
} {
  const retired = new Set((given.dumps.at(-1)?.retired_executions ?? []).map(executionOf));
  if (retired.size === 0) return given;
  const dumps: Dump[] = [];
  for (const dump of given.dumps) dumps.push(withEarlier(dump, dumps.at(-1)));
  const seen = new Set(
    dumps
      .at(-1)
      ?.executions.filter(hasEnded)
      .map(({ id }) => id),
  );
  const unseen = new Set([...retired].filter((id) => !seen.has(id)));
  const isKnown = (deed: Deed): boolean => {
    const ids = idsIn(deed);
    const isGone = deed.answer?.status === 404 && ids.some((id) => retired.has(id));
    return !isGone && !ids.some((id) => unseen.has(id));
  };
  return { dumps, history: { ...given.history, deeds: given.history.deeds.filter(isKnown) } };
}

function withEarlier(dump: Dump, earlier: Dump | undefined): Dump {
  const retired = new Set((dump.retired_executions ?? []).map(executionOf));
  if (earlier === undefined || retired.size === 0) return dump;
  const ended = new Set(earlier.executions.filter(hasEnded).map(({ id }) => id));
  const isPutBack = (row: Rows[number]): boolean => {
    const id = idOf(row);
    return id !== null && retired.has(id) && ended.has(id);
  };
  const tables = TABLES.map((table) => [
    table,
    [...rowsOf(dump, table), ...rowsOf(earlier, table).filter(isPutBack)],
  ]);
  return { ...dump, ...(Object.fromEntries(tables) as Partial<Dump>) };
}

function hasEnded({ status }: { readonly status: string }): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function rowsOf(dump: Dump, table: (typeof TABLES)[number]): Rows {
  return dump[table] ?? [];
}

export function executionOf({ execution_id: id }: { readonly execution_id: string }): string {
  return id;
}

export function idOf(row: Rows[number]): string | null {
  return row.execution_id ?? row.id ?? null;
}

function idsIn({ asks, answer }: Deed): readonly string[] {
  const asked = 'executionId' in asks ? [asks.executionId] : [];
  const told = answer?.body['execution_id'];
  return typeof told === 'string' ? [...asked, told] : asked;
}
