import { isDeepStrictEqual } from 'node:util';

import { isJsonObject } from '../../../src/shared/domain/json.ts';
import { AHEAD_MS_MAX } from '../../../src/shared/store/imports.ts';
import { executionOf, idOf, rowsOf, TABLES } from '../as-last-seen.ts';
import { byExecution } from './check-histories.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import {
  deedsOf,
  isBefore,
  success,
  wasRefused,
  type DeedOf,
  type DocumentOf,
  type History,
} from '../history.ts';
import { violations, type Violation } from '../violation.ts';
import { importedIn } from '../without-imported.ts';

const REQUEST_TIMEOUT = 408;

/**
 * An import brings a whole history or nothing, once, and starts nothing; it is on record, and what it
 * brought stays as it is. `known`: the last dump, with removed executions as they were last seen, and
 * without what was imported.
 */
export function checkImports(dumps: readonly Dump[], history: History, known: Dump): Violation[] {
  const last = dumps.at(-1);
  const imports = deedsOf(history, 'import');
  const exports = deedsOf(history, 'export').filter((deed) => success(deed) !== null);
  if (last === undefined) return [];
  const copies = new Map(imports.filter(isCopy).map((deed) => [deed.asks.of, deed]));
  const stories = byExecution(known);
  return [
    ...dumps.flatMap((dump) => [
      ...checkWhole(dump, imports),
      ...checkBegun(dump, copies),
      ...checkOnce(dump, copies),
    ]),
    ...checkRecords(last, imports),
    ...checkAnswers(last, imports),
    ...checkReads(last, history, copies),
    ...violations('an export shows the history up to some moment', exports, (deed) => {
      const { executionId } = deed.asks;
      const story = stories.get(executionId)?.map(shownOf);
      const told = eventsIn(success(deed)?.['events']);
      // Nobody has seen the history of an import, or of an execution that was removed early.
      if (story === undefined || isDeepStrictEqual(told, story.slice(0, told.length))) return null;
      return {
        about: { execution: executionId, deed: deed.begun },
        saw: `${told.length} events that are not the first of ${story.length}`,
      };
    }),
  ];
}

type Import = DeedOf<'import'>;

function isCopy({ asks }: Import): boolean {
  return asks.isCopy;
}

/** Judges the records of executions that exist. */
function checkWhole(dump: Dump, imports: readonly Import[]): Violation[] {
  const imported = importedIn(dump);
  const there = dump.executions.filter(({ id }) => imported.has(id));
  if (there.length === 0) return [];
  const records = Map.groupBy(dump.imported_executions ?? [], executionOf);
  const stories = byExecution(dump);
  const asked = new Map(
    imports.map(({ asks }) => [`${asks.of} ${asks.document.sha256}`, asks.document]),
  );
  return violations('an imported execution matches its document', there, (row) => {
    const record = records.get(row.id)?.at(-1);
    const document = asked.get(`${row.id} ${record?.document_sha256 ?? ''}`);
    const story = stories.get(row.id) ?? [];
    const isIt =
      document !== undefined &&
      row.tenant_id === record?.tenant_id &&
      row.status === document.status &&
      row.last_sequence === document.events.length &&
      isDeepStrictEqual(story.map(shownOf), document.events.map(timed));
    if (isIt && new Set(story.map(({ written_in: writer }) => writer)).size === 1) return null;
    return {
      about: { execution: row.id, tenant: row.tenant_id },
      saw: `${row.status} with ${story.length} events, in the document ${document?.events.length ?? 'none'}`,
    };
  });
}

/** Tables with a row of every execution that ended, wherever it ran. */
const KEPT: ReadonlySet<string> = new Set([
  'executions',
  'events',
  'snapshots',
  'execution_labels',
]);

function checkBegun(dump: Dump, copies: ReadonlyMap<string, Import>): Violation[] {
  if (copies.size === 0) return [];
  const imported = importedIn(dump);
  const rows = [
    ...TABLES.flatMap((table) =>
      KEPT.has(table) ? [] : rowsOf(dump, table).map((row) => ({ table, id: idOf(row) ?? '' })),
    ),
    ...[dump.webhook_deliveries ?? [], dump.child_places ?? [], dump.request_keys].flatMap((of) =>
      of.map((row) => ({ table: 'a table', id: row.execution_id })),
    ),
  ];
  return [
    ...violations('an import begins nothing', rows, ({ table, id }) =>
      copies.has(id) ? { about: { execution: id }, saw: `a row in ${table}` } : null,
    ),
    ...violations('an imported execution is on record', dump.executions, ({ id }) =>
      !copies.has(id) || imported.has(id)
        ? null
        : { about: { execution: id }, saw: 'it exists without a record' },
    ),
  ];
}

/** An execution comes in once, and again after each of its removals. */
function checkOnce(dump: Dump, copies: ReadonlyMap<string, Import>): Violation[] {
  const there = new Set(dump.executions.map(({ id }) => id));
  const removals = Map.groupBy(dump.retired_executions ?? [], executionOf);
  return violations(
    'an execution is imported once, and again only after a removal',
    Map.groupBy(dump.imported_executions ?? [], executionOf),
    ([id, records]) => {
      const removed = removals.get(id)?.length ?? 0;
      const began = copies.has(id) ? 0 : 1;
      const isThere = began + records.length - removed;
      const reverted = records.map((record) => record.retirement_id);
      const isRight =
        isThere === (there.has(id) ? 1 : 0) &&
        new Set(reverted).size === records.length &&
        reverted.includes(null) === copies.has(id);
      if (isRight) return null;
      return {
        about: { execution: id },
        saw: `${records.length} imports, ${removed} removals, there: ${there.has(id)}`,
      };
    },
  );
}

/** Each import has one entry in the audit log, by the one who asked. */
function checkRecords(dump: Dump, imports: readonly Import[]): Violation[] {
  const entries = dump.audit_log.filter((entry) => entry.event_type === 'execution_imported');
  const asked = new Set(imports.map(({ asks }) => `${asks.of} ${asks.document.sha256}`));
  const told = Map.groupBy(entries, (entry) =>
    nameOf({
      ...entry,
      execution_id: entry.execution_id ?? '',
      imported_by: entry.actor_id,
      document_sha256: textIn(entry.payload, 'document_sha256'),
      retirement_id: textIn(entry.payload, 'takes_back') || null,
    }),
  );
  const recorded = Map.groupBy(dump.imported_executions ?? [], nameOf);
  const names = new Set([...told.keys(), ...recorded.keys()]);
  return [
    ...violations('an import is one entry of the audit log', names, (name) => {
      const [one, other] = [told.get(name)?.length ?? 0, recorded.get(name)?.length ?? 0];
      if (one === 1 && other === 1) return null;
      return { about: { of: name }, saw: `${one} entries, ${other} records` };
    }),
    ...violations('an import was asked for', dump.imported_executions ?? [], (record) =>
      asked.has(`${record.execution_id} ${record.document_sha256}`)
        ? null
        : { about: { execution: record.execution_id }, saw: record.document_sha256 },
    ),
  ];
}

function nameOf(record: Omit<NonNullable<Dump['imported_executions']>[number], 'imported_at'>) {
  const { execution_id: id, tenant_id: tenant, imported_by: actor } = record;
  return [id, tenant, actor, record.document_sha256, record.retirement_id ?? 'new'].join(' ');
}

/** The clock of the process that made the id was ahead: the import may have to wait for that time. */
function isRefusedAsAhead({ asks: { of, document }, answer }: Import): boolean {
  if (answer?.status !== 400 || !textIn(answer.body, 'error').includes('of a time to come'))
    return false;
  const madeAt = Number.parseInt(of.slice('exec_'.length).slice(0, 12), 16);
  const lastAt = Date.parse(document.events.at(-1)?.created_at ?? '');
  return madeAt > lastAt + AHEAD_MS_MAX;
}

function checkAnswers(dump: Dump, imports: readonly Import[]): Violation[] {
  const records = Map.groupBy(dump.imported_executions ?? [], executionOf);
  const removed = new Set((dump.retired_executions ?? []).map(executionOf));
  const answered = imports.filter((deed) => success(deed) !== null);
  return [
    ...violations('an import of what ran elsewhere is accepted', imports, (deed) => {
      const { of, isSound } = deed.asks;
      // A removal may come between two steps of an import.
      const isOpen = !isCopy(deed) || !isSound || removed.has(of) || isRefusedAsAhead(deed);
      // Nobody has judged a document that did not arrive whole.
      const isJudged = wasRefused(deed) && deed.answer?.status !== REQUEST_TIMEOUT;
      if (isOpen || !isJudged) return null;
      return {
        about: { execution: of, deed: deed.begun },
        saw: `${deed.answer?.status} ${JSON.stringify(deed.answer?.body)}`,
      };
    }),
    ...violations(
      'an import is carried out as often as it was answered',
      Map.groupBy(imports, ({ asks }) => asks.of),
      ([id, deeds]) => {
        const made = deeds.filter((deed) => success(deed)?.['imported'] === true).length;
        const open = deeds.filter((deed) => success(deed) === null && !wasRefused(deed)).length;
        const isFound = deeds.some((deed) => isCopy(deed) && success(deed) !== null);
        const found = records.get(id)?.length ?? 0;
        if (found >= Math.max(made, isFound ? 1 : 0) && found <= made + open) return null;
        return {
          about: { execution: id, deeds: deeds.map(({ begun }) => begun).join(', ') },
          saw: `carried out ${found} times, ${made} accepted, ${open} without an answer`,
        };
      },
    ),
    ...violations('an import of something that did not happen is refused', answered, (deed) =>
      deed.asks.isSound
        ? null
        : { about: { execution: deed.asks.of, deed: deed.begun }, saw: 'it was accepted' },
    ),
    ...violations('an import is answered with what it brought', answered, (deed) => {
      const { of, document } = deed.asks;
      const { execution_id, status, events } = success(deed) ?? {};
      const told = { execution_id, status, events };
      const is = { execution_id: of, status: document.status, events: document.events.length };
      if (isDeepStrictEqual(told, is)) return null;
      return { about: { execution: of, deed: deed.begun }, saw: JSON.stringify(told) };
    }),
  ];
}

/** Those that are asked for only after their import. */
function checkReads(
  dump: Dump,
  history: History,
  copies: ReadonlyMap<string, Import>,
): Violation[] {
  const removed = new Set((dump.retired_executions ?? []).map(executionOf));
  const accepted = deedsOf(history, 'import').filter((deed) => success(deed) !== null);
  const reads = [...deedsOf(history, 'read_events'), ...deedsOf(history, 'read')].filter(
    ({ asks }) => copies.has(asks.executionId),
  );
  return violations('a read shows an imported execution as its document does', reads, (deed) => {
    const { executionId } = deed.asks;
    const document = copies.get(executionId)?.asks.document;
    const body = success(deed);
    if (document === undefined) return null;
    const isThere = accepted.some((one) => one.asks.of === executionId && isBefore(one, deed));
    const isLost = deed.answer?.status === 404 && isThere && !removed.has(executionId);
    const isOther = body !== null && !isShown(body, document);
    if (!isLost && !isOther) return null;
    return {
      about: { execution: executionId, deed: deed.begun },
      saw: `${deed.asks.do} was answered ${deed.answer?.status}`,
    };
  });
}

function isShown(body: NonNullable<ReturnType<typeof success>>, document: DocumentOf): boolean {
  if (!Array.isArray(body['events'])) return body['status'] === document.status;
  const told = body['events'].filter(isJsonObject);
  return (
    told.length === document.events.length &&
    told.every(({ kind, payload }, index) =>
      isDeepStrictEqual(
        [kind, payload],
        [document.events[index]?.kind, document.events[index]?.payload],
      ),
    )
  );
}

type Shown = Pick<EventOf, 'sequence' | 'kind' | 'node_id' | 'payload' | 'actor_id' | 'created_at'>;

function shownOf({ sequence, kind, node_id, payload, actor_id, created_at }: Shown): Shown {
  return { sequence, kind, node_id, payload, actor_id, created_at };
}

function timed(event: DocumentOf['events'][number]): Shown {
  return shownOf({ ...event, created_at: Date.parse(event.created_at) });
}

function eventsIn(value: unknown): readonly Shown[] {
  return Array.isArray(value) ? (value as DocumentOf['events']).map(timed) : [];
}
