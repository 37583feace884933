import type { ArchivedDocument, ArchiveOf } from './archives.ts';
import { addImports, BACK, shownIn } from './break-imports.ts';
import type { SeenRemoval } from './checks/check-archives.ts';
import type { ExampleRun, Mutable } from './example-run.ts';
import { deedsOf } from './history.ts';

const FILE = 'amber/a.jsonl.gz';

/** Retention archived an execution and removed it, and an import brought it back from the archive. */
export function addArchives(of: ExampleRun): ExampleRun {
  const run = addImports(of);
  const archive = archiveOf(documentOf(run, BACK));
  const removal: SeenRemoval = {
    executionIds: [BACK],
    before: structuredClone(run.last),
    archive: structuredClone(archive),
  };
  run.archiving = { archives: [archive], removals: [removal], failures: [], reports: [] };
  run.last.removal = 'over';
  entryOf(run).payload = { executions: 1, archive: FILE };
  const deed = deedsOf(run, 'import').find(({ asks }) => asks.of === BACK);
  Object.assign(deed?.asks ?? {}, { isArchived: true });
  return run;
}

/** By rule: a function that breaks it. */
export const ARCHIVES_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'an archive is as its manifest describes it': (run) =>
    void Object.assign(firstArchive(run).manifest, { sha256: 'another' }),
  'an archive has executions of its tenant alone': (run) =>
    void Object.assign(firstDocument(firstArchive(run)).execution, { tenant_id: 'birch' }),
  'a removed execution is in an archive': (run) =>
    void Object.assign(firstArchive(run), { documents: [] }),
  'an execution is archived whole before it is removed, also if the power is lost': (run) => {
    const document = firstDocument(run.archiving?.removals?.[0]?.archive ?? null);
    Object.assign(document, { events: document.events.slice(0, -1) });
  },
  'the audit log names the archive of each removal': (run) =>
    void (entryOf(run).payload = { executions: 1, archive: null }),
  'an archived execution is removed, or an import brought it': (run) => {
    const { archiving } = run;
    const archives = [firstArchive(run), archiveOf(documentOf(run, 'exec_3'))];
    run.archiving = { ...archiving, archives };
  },
  'a process that cannot write archives says so': (run) => {
    const failures = [{ process: 'p', path: '/archive/amber' }];
    run.archiving = { ...run.archiving, archives: [firstArchive(run)], failures };
  },
  'an import from an archive is accepted': (run) => {
    const deed = deedsOf(run, 'import').find(({ asks }) => asks.isArchived === true);
    Object.assign(deed?.answer ?? {}, { status: 409 });
  },
};

function documentOf(run: ExampleRun, id: string): ArchivedDocument {
  const row = run.last.executions.find((one) => one.id === id);
  if (row === undefined) throw new Error(`${id} does not exist`);
  const { tenant_id, status, last_sequence } = row;
  return {
    execution: { execution_id: id, tenant_id, status, last_sequence },
    events: shownIn(run, id),
  };
}

function archiveOf(document: ArchivedDocument): ArchiveOf {
  const content = { sha256: 'its hash', bytes: 100 };
  const manifest = { ...content, executions: 1, events: document.events.length };
  return { file: FILE, tenantId: 'amber', manifest, content, documents: [document] };
}

function firstArchive({ archiving }: ExampleRun): ArchiveOf {
  const [archive] = archiving?.archives ?? [];
  if (archive === undefined) throw new Error('the run has no archive');
  return archive;
}

function firstDocument(archive: ArchiveOf | null): ArchivedDocument {
  const [document] = archive?.documents ?? [];
  if (document === undefined) throw new Error('the archive is empty');
  return document;
}

function entryOf({ last }: ExampleRun): Mutable<ExampleRun['last']['audit_log'][number]> {
  const entry = last.audit_log.find((one) => one.event_type === 'executions_retired');
  if (entry === undefined) throw new Error('the audit log has no removal');
  return entry;
}
