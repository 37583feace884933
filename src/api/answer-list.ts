import { readPage } from './offset-max.ts';
import { encodePosition } from './schemas/position.ts';
import { LIMIT_MAX, WHOLE } from './schemas/query.ts';
import { openWholeList, type JsonPieces } from './whole-list.ts';

/** A list that is answered whole where no `limit` is given; see `pagingOfWhole`. */
export interface ListedRows<Name extends string, Row, Position, Shape extends object> {
  /** The field of the answer that holds the rows. */
  readonly name: Name;
  /** The position that a cursor carries as `columnsOf` a row. */
  readonly positionAt: (columns: readonly string[]) => Position;
  readonly read: (page: {
    readonly after: Position | null;
    readonly limit: number;
    readonly offset: number;
  }) => Promise<readonly Row[]>;
  readonly count: () => Promise<number>;
  readonly shape: (row: Row) => Shape;
  readonly columnsOf: (row: Row) => readonly string[];
}

export type ListAnswer<Name extends string, Shape> =
  | { readonly status: 200; readonly pieces: JsonPieces }
  | {
      readonly status: 200;
      readonly body: Record<Name, Shape[]> & {
        readonly total: number;
        readonly next_cursor: string | null;
      };
    };

/** Answers the page that the query asks for, or the whole list, piece by piece. */
export async function answerList<Name extends string, Row, Position, Shape extends object>(
  query: {
    readonly limit: number;
    readonly offset: number;
    readonly cursor: readonly string[] | null;
  },
  rows: ListedRows<Name, Row, Position, Shape>,
): Promise<ListAnswer<Name, Shape>> {
  const { name, shape, columnsOf, positionAt } = rows;
  const { offset, cursor } = query;
  if (query.limit === WHOLE && offset === 0 && cursor === null) {
    const read = (last: Row | null, limit: number) =>
      rows.read({ after: last && positionAt(columnsOf(last)), limit, offset: 0 });
    return { status: 200, pieces: await openWholeList(name, { read, shape }) };
  }
  const limit = Math.min(query.limit, LIMIT_MAX);
  const after = cursor && positionAt(cursor);
  const read = readPage({ limit, offset }, (page) => rows.read({ after, ...page }));
  const [{ rows: page, last }, total] = await Promise.all([read, rows.count()]);
  const next = last === undefined ? null : encodePosition(columnsOf(last));
  // TypeScript takes a computed field for an index signature.
  const listed = { [name]: page.map(shape) } as Record<Name, Shape[]>;
  return { status: 200, body: { ...listed, total, next_cursor: next } };
}
