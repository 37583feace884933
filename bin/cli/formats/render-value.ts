import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import type { Renderer } from '../output.ts';
import { printFields, printLine, printNote } from '../output.ts';
import { noteMore } from '../lists/notes.ts';
import { findIds, findRows } from './find-rows.ts';
import { nameVisit, type Visit } from './name-visit.ts';

/** The renderers that `-o` names beside `table` and `json`; each loads what it needs. */
export const RENDERERS: Readonly<Record<string, () => Promise<Renderer>>> = {
  yaml: async () => {
    const { stringify } = await import('yaml');
    return (value) => void process.stdout.write(`---\n${stringify(value)}`);
  },
  ids: () => Promise.resolve(renderIds),
  wide: async () => {
    const { printList } = await import('../lists/print-list.ts');
    return (value) => {
      const list = findRows(value);
      if (list === null) return printFields(isJsonObject(value) ? value : { value });
      const head = columnsOf(list.rows);
      printList({
        member: list.member,
        head: head.map((name) => name.toUpperCase().replaceAll('_', ' ')),
        rows: list.rows.map((row) => head.map((name) => showCell(row[name]))),
      });
      tellMore(value);
    };
  },
};

function renderIds(value: unknown): void {
  const ids = findIds(value);
  for (const id of ids) printLine(id);
  if (ids.length === 0 && !isEmptyList(value)) printNote('this result has no ids: use -o json');
  tellMore(value);
}

function isEmptyList(value: unknown): boolean {
  return findRows(value)?.rows.length === 0;
}

/**
 * Members that are objects in every row would need lines of their own: JSON and YAML have them. One that
 * names a visit, such as the one that an undo undoes, is shown by that name.
 */
function columnsOf(rows: readonly JsonObject[]): readonly string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].filter((name) =>
    rows.some((row) => isSimple(row[name]) || readVisit(row[name]) !== null),
  );
}

function isSimple(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function showCell(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  const visit = readVisit(value);
  if (visit !== null) return nameVisit(visit);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Null: the value names no visit. */
function readVisit(value: JsonValue | undefined): Visit | null {
  if (!isJsonObject(value)) return null;
  const { node_id, visit } = value;
  return typeof node_id === 'string' && typeof visit === 'number' ? { node_id, visit } : null;
}

/** JSON and YAML carry the cursor themselves. */
function tellMore(value: unknown): void {
  if (!isJsonObject(value)) return;
  const cursor = value['next_cursor'];
  if (typeof cursor === 'string') noteMore(cursor);
}
