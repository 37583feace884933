import { InvalidArgumentError, type Command } from 'commander';

import type { ListMember } from '../formats/find-rows.ts';
import type { OutputFormat } from '../output.ts';
import { printJson, printsByPage } from '../output.ts';
import { noteMore, noteNone } from './notes.ts';

export interface PageOptions {
  readonly output: OutputFormat;
  readonly limit?: number;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** The options of a list that goes by cursor. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'print at most this many', parseLimit)
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .option('--all', 'print all, page by page');
}

interface Page {
  readonly next_cursor?: string | null;
}

interface Paged<Answer> {
  readonly read: (page: {
    readonly limit: number | null;
    readonly cursor: string | null;
  }) => Promise<Answer>;
  /** The member of the answer that holds the rows. */
  readonly member: ListMember;
  /** Gets the pages that have rows. */
  readonly print: (answer: Answer) => void;
}

/**
 * Prints a list: one request, or with `--all` and a large `--limit` page after page. Tables and ids are
 * printed as each page arrives; JSON and YAML are one document at the end.
 */
export async function printPages<Answer extends Page>(
  options: PageOptions,
  list: Paged<Answer>,
): Promise<void> {
  const isOneDocument = options.output === 'json' && !printsByPage();
  const { member, print } = list;
  const collected: unknown[] = [];
  let hasRows = false;
  for await (const { answer, isLast } of readPages(options, list)) {
    const rows = rowsOf(answer, member);
    if (isOneDocument) {
      collected.push(...rows);
      if (isLast) printJson({ ...answer, [member]: collected });
      continue;
    }
    const { next_cursor: cursor = null } = answer;
    hasRows ||= rows.length > 0;
    const isEmpty = !hasRows && isLast && cursor === null;
    if (rows.length > 0 || isEmpty) {
      if (options.output === 'json') printJson({ ...answer, next_cursor: null });
      else if (isEmpty) noteNone(member);
      else print(answer);
    }
    if (isLast && cursor !== null) noteMore(cursor);
  }
}

async function* readPages<Answer extends Page>(
  options: PageOptions,
  { member, read }: Paged<Answer>,
): AsyncGenerator<{ readonly answer: Answer; readonly isLast: boolean }> {
  const { limit: wanted = options.all === true ? Infinity : null } = options;
  let left = wanted ?? 0;
  let cursor = options.cursor ?? null;
  let isLast = false;
  while (!isLast) {
    const limit = wanted === null ? null : Math.min(left, PAGE_ROWS_MAX);
    const answer: Answer = await read({ limit, cursor });
    cursor = answer.next_cursor ?? null;
    left -= rowsOf(answer, member).length;
    isLast = left <= 0 || cursor === null;
    yield { answer, isLast };
  }
}

function rowsOf(answer: object, member: string): readonly unknown[] {
  const rows: unknown = Reflect.get(answer, member);
  return Array.isArray(rows) ? rows : [];
}

/** As many as the API gives at once. */
const PAGE_ROWS_MAX = 500;

function parseLimit(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected a whole number, 0 or more.');
}
