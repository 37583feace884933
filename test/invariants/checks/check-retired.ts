import type { TerminalStatus } from '../../../src/shared/domain/execution/status.ts';
import { isJsonObject } from '../../../src/shared/domain/json.ts';
import { executionOf, idOf, rowsOf, TABLES } from '../as-last-seen.ts';
import { byExecution } from './check-histories.ts';
import type { Dump, EventOf, ExecutionOf } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';
import { importedIn } from '../without-imported.ts';

/** The defaults of the installation, in days, for executions without a policy; 0: keep forever. */
export type KeptDays = Readonly<Record<TerminalStatus, number>>;

/**
 * Retention removes only what it may, removes it as a whole, and removes nothing that is still
 * needed.
 */
export function checkRetired(
  dumps: readonly Dump[],
  keptDays: KeptDays = KEPT_FOR_GOOD,
): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const retired = new Set((last.retired_executions ?? []).map(executionOf));
  const there = new Set(last.executions.map(({ id }) => id));
  const pairs = dumps.slice(1).map((after, index) => ({ before: dumps[index] ?? after, after }));
  return [
    ...dumps.flatMap(checkWhole),
    ...violations(
      'an execution that is gone was removed by retention',
      new Set(dumps.flatMap((dump) => dump.executions.map(({ id }) => id))),
      (id) =>
        there.has(id) || retired.has(id)
          ? null
          : { about: { execution: id }, saw: 'it is nowhere any more' },
    ),
    ...checkWrittenDown(last),
    ...pairs
      .filter(({ before }) => before.removal === 'follows')
      .flatMap((pair) => [...checkDue(pair, keptDays), ...checkNeeded(pair)]),
    ...(last.removal === 'over' ? checkLeft(last, keptDays) : []),
  ];
}

const KEPT_FOR_GOOD: KeptDays = { completed: 0, failed: 0, cancelled: 0 };

function checkWhole(dump: Dump): Violation[] {
  const retired = new Set((dump.retired_executions ?? []).map(executionOf));
  if (retired.size === 0) return [];
  // An import may have brought it back.
  for (const id of importedIn(dump)) retired.delete(id);
  return TABLES.flatMap((table) =>
    violations('a removed execution is gone from every table', rowsOf(dump, table), (row) => {
      const id = idOf(row) ?? '';
      return retired.has(id) ? { about: { execution: id }, saw: `a row in ${table}` } : null;
    }),
  );
}

/** Each batch has one entry with the number of removed executions. */
function checkWrittenDown(dump: Dump): Violation[] {
  const entries = dump.audit_log.filter((row) => row.event_type === 'executions_retired');
  const told = entries.reduce((sum, { payload }) => sum + Number(payload['executions']), 0);
  const retired = dump.retired_executions ?? [];
  return violations('the audit log counts every removal', [told], (count) =>
    count === retired.length
      ? null
      : { saw: `${count} in ${entries.length} entries, removed are ${retired.length}` },
  );
}

interface Removal {
  readonly before: Dump;
  readonly after: Dump;
}

function removedIn({ before, after }: Removal): readonly ExecutionOf[] {
  const earlier = new Set((before.retired_executions ?? []).map(executionOf));
  const retired = new Set((after.retired_executions ?? []).map(executionOf));
  return before.executions.filter(({ id }) => retired.has(id) && !earlier.has(id));
}

function checkDue(removal: Removal, keptDays: KeptDays): Violation[] {
  const { after } = removal;
  return violations('retention removes only due executions', removedIn(removal), (row) =>
    isDue(row, after, keptDays)
      ? null
      : {
          about: { execution: row.id, workflow: row.workflow_id },
          saw: `it was ${row.status}, since ${row.completed_at ?? 'never'}, at ${after.takenAt}`,
        },
  );
}

/** An `Idempotency-Key` is valid for this long, so no policy removes an execution sooner. */
const KEPT_MS_MIN = 86_400_000;

function isDue(row: ExecutionOf, dump: Dump, keptDays: KeptDays): boolean {
  const { status, completed_at: endedAt = null } = row;
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return false;
  const saysOf = (workflow: string): number | null =>
    dump.retention_policies?.find(
      (policy) => policy.tenant_id === row.tenant_id && policy.workflow_id === workflow,
    )?.[`${status}_days`] ?? null;
  const days = saysOf(row.workflow_id) ?? saysOf('') ?? keptDays[status];
  const keptMs = Math.max(days * 86_400_000, KEPT_MS_MIN);
  if (days === 0 || endedAt === null) return false;
  const imports = (dump.imported_executions ?? []).filter((of) => of.execution_id === row.id);
  const since = Math.max(endedAt, ...imports.map(({ imported_at: at }) => at));
  return since + keptMs <= dump.takenAt;
}

function checkNeeded(removal: Removal): Violation[] {
  const { before, after } = removal;
  const stories = byExecution(before);
  const there = new Set(after.executions.map(({ id }) => id));
  return violations('retention removes no execution that is needed', removedIn(removal), (row) => {
    const needs = needsOf(row, { dump: before, story: stories.get(row.id) ?? [], there });
    return needs === null ? null : { about: { execution: row.id }, saw: needs };
  });
}

/** Null: nothing needs the execution. */
function needsOf(
  { id, parent_execution_id: parent }: ExecutionOf,
  of: {
    readonly dump: Dump;
    readonly story: readonly EventOf[];
    readonly there: ReadonlySet<string>;
  },
): string | null {
  const { dump, story, there } = of;
  const { continued_from: earlier = null, retried_from: tried } = story[0]?.payload ?? {};
  const leaders = { parent, earlier, tried: isJsonObject(tried) ? tried['execution_id'] : null };
  for (const [name, leader] of Object.entries(leaders)) {
    if (typeof leader === 'string' && there.has(leader)) return `${name} ${leader} exists`;
  }
  const child = dump.executions.find(
    (row) =>
      row.parent_execution_id === id && (row.status === 'running' || row.status === 'paused'),
  );
  if (child !== undefined) return `its child ${child.id} is ${child.status}`;
  const sealedUntil = dump.sealed?.[0]?.covers_to ?? 0;
  const unsealed = story.find((event) => event.created_at >= sealedUntil);
  if (unsealed !== undefined) return `its event ${unsealed.sequence} is not sealed`;
  const timer = dump.timers.find((row) => row.execution_id === id);
  if (timer !== undefined) return `its timer ${timer.name} has not been told`;
  const message = dump.webhook_deliveries?.find(
    (row) => row.execution_id === id && row.status === 'pending',
  );
  return message === undefined ? null : `its message ${message.seq} has not arrived`;
}

function checkLeft(dump: Dump, keptDays: KeptDays): Violation[] {
  const stories = byExecution(dump);
  const there = new Set(dump.executions.map(({ id }) => id));
  return violations('retention removes every due execution', dump.executions, (row) => {
    if (!isDue(row, dump, keptDays)) return null;
    if (needsOf(row, { dump, story: stories.get(row.id) ?? [], there }) !== null) return null;
    return { about: { execution: row.id, workflow: row.workflow_id }, saw: row.status };
  });
}
