import { isDeepStrictEqual } from 'node:util';

import type { ArchivedDocument, ArchiveOf } from '../archives.ts';
import { executionOf } from '../as-last-seen.ts';
import { textIn, type Dump } from '../dump.ts';
import { deedsOf, wasRefused, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';
import { importedIn } from '../without-imported.ts';
import { byExecution } from './check-histories.ts';

/** The archives of a run, and its removals. */
export interface Archiving {
  /** The complete archives that a loss of power at the end cannot take. */
  readonly archives: readonly ArchiveOf[];
  /** Absent: nobody has watched the removals. */
  readonly removals?: readonly SeenRemoval[];
  /** Failed operations of processes that lived on. */
  readonly failures?: readonly { readonly process: string; readonly path: string }[];
  /** Errors of archives that processes reported, each after the name of the process and a colon. */
  readonly reports?: readonly string[];
}

/** A batch that was removed. */
export interface SeenRemoval {
  readonly executionIds: readonly string[];
  /** The tables right before. */
  readonly before: Dump;
  /** The archive that the removal names, as a loss of power would have left it; null: none. */
  readonly archive: ArchiveOf | null;
}

/**
 * Nothing is removed before it is in an archive, whole and durably, and every archive is what its
 * manifest says. `seen`: the last dump, with removed executions as they were last seen.
 */
export function checkArchives(
  archiving: Archiving | undefined,
  of: { readonly dump: Dump; readonly seen: Dump; readonly history?: History },
): Violation[] {
  if (archiving === undefined) return [];
  const { archives, removals = [] } = archiving;
  const { dump, seen, history = { deeds: [] } } = of;
  return [
    ...archives.flatMap(checkContent),
    ...checkRemoved(archives, { dump, seen }),
    ...removals.flatMap(checkRemoval),
    ...violations(
      'the audit log names the archive of each removal',
      dump.audit_log.filter((entry) => entry.event_type === 'executions_retired'),
      ({ tenant_id: tenant, payload }) =>
        archives.some(({ file }) => file === textIn(payload, 'archive'))
          ? null
          : { about: { tenant }, saw: `archive ${JSON.stringify(payload['archive'])}` },
    ),
    ...(dump.removal === 'over' ? checkLeft(archives, dump) : []),
    ...checkReports(archiving),
    ...violations(
      'an import from an archive is accepted',
      deedsOf(history, 'import').filter(({ asks }) => asks.isArchived === true),
      (deed) =>
        wasRefused(deed)
          ? {
              about: { execution: deed.asks.of, deed: deed.begun },
              saw: `${deed.answer?.status} ${JSON.stringify(deed.answer?.body)}`,
            }
          : null,
    ),
  ];
}

function checkContent(archive: ArchiveOf): Violation[] {
  const { file, tenantId, manifest, content, documents } = archive;
  const found = {
    ...content,
    executions: documents?.length ?? null,
    events: documents?.reduce((sum, { events }) => sum + events.length, 0) ?? null,
  };
  const { sha256, bytes, executions, events } = manifest;
  return [
    ...violations('an archive is as its manifest describes it', [found], () =>
      content !== null && isDeepStrictEqual(found, { sha256, bytes, executions, events })
        ? null
        : { about: { file }, saw: JSON.stringify(found) },
    ),
    ...violations(
      'an archive has executions of its tenant alone',
      documents ?? [],
      ({ execution }) =>
        execution.tenant_id === tenantId
          ? null
          : { about: { file, execution: execution.execution_id }, saw: execution.tenant_id },
    ),
  ];
}

function checkRemoved(
  archives: readonly ArchiveOf[],
  { dump, seen }: { readonly dump: Dump; readonly seen: Dump },
): Violation[] {
  const removed = dump.retired_executions ?? [];
  if (removed.length === 0) return [];
  const archived = new Map(
    archives.flatMap(({ documents }) => (documents ?? []).map((one) => [idIn(one), one])),
  );
  return violations('a removed execution is in an archive', removed, ({ execution_id: id }) => {
    const document = archived.get(id);
    if (document === undefined) {
      return { about: { execution: id }, saw: `it is in none of ${archives.length} archives` };
    }
    return isSeen(seen, id) ? differsFrom(document, seen) : null;
  });
}

/** Nobody may have seen the end of an execution, or it came from elsewhere. */
function isSeen(seen: Dump, id: string): boolean {
  return seen.executions.some((row) => row.id === id);
}

function checkRemoval({ executionIds, before, archive }: SeenRemoval): Violation[] {
  const archived = new Map((archive?.documents ?? []).map((one) => [idIn(one), one]));
  return violations(
    'an execution is archived whole before it is removed, also if the power is lost',
    executionIds,
    (id) => {
      const document = archived.get(id);
      if (document !== undefined) return differsFrom(document, before);
      return { about: { execution: id }, saw: `it is not in ${archive?.file ?? 'any archive'}` };
    },
  );
}

function differsFrom(
  document: ArchivedDocument,
  dump: Dump,
): Pick<Violation, 'about' | 'saw'> | null {
  const { execution, events } = document;
  const id = execution.execution_id;
  const row = dump.executions.find((one) => one.id === id);
  const story = byExecution(dump).get(id) ?? [];
  const isIt =
    execution.status === row?.status &&
    execution.tenant_id === row.tenant_id &&
    execution.last_sequence === row.last_sequence &&
    events.length === story.length &&
    story.every((event, index) => {
      const { sequence, kind, node_id, payload, actor_id } = event;
      const created_at = new Date(event.created_at).toISOString();
      const { ...told } = events[index];
      return isDeepStrictEqual(told, { sequence, kind, node_id, payload, actor_id, created_at });
    });
  if (isIt) return null;
  return {
    about: { execution: id },
    saw: `${execution.status} with ${events.length} events, it was ${row?.status} with ${story.length}`,
  };
}

/** Where removals broke off, later runs have finished them. */
function checkLeft(archives: readonly ArchiveOf[], dump: Dump): Violation[] {
  const removed = new Set((dump.retired_executions ?? []).map(executionOf));
  const imported = importedIn(dump);
  const there = new Set(dump.executions.map(({ id }) => id));
  const ids = new Set(archives.flatMap(({ documents }) => (documents ?? []).map(idIn)));
  return violations('an archived execution is removed, or an import brought it', ids, (id) =>
    removed.has(id) && (!there.has(id) || imported.has(id))
      ? null
      : { about: { execution: id }, saw: there.has(id) ? 'it exists' : 'it is nowhere' },
  );
}

function checkReports({ failures = [], reports = [] }: Archiving): Violation[] {
  // A loop reports an outage once.
  return violations(
    'a process that cannot write archives says so',
    failures,
    ({ process, path }) =>
      reports.some((report) => report.startsWith(`${process}: `))
        ? null
        : { about: { process, path }, saw: `${reports.length} reports of others` },
  );
}

function idIn({ execution }: ArchivedDocument): string {
  return execution.execution_id;
}
