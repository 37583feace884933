/** The source of a list, for single pages and for the whole list. */
export interface ListSource<Row> {
  /** A page from behind a row; null: from the beginning. */
  readonly read: (after: Row | null, limit: number) => Promise<readonly Row[]>;
  readonly shape: (row: Row) => object;
}

/** A list as the JSON text `{"<name>": […], "total": …, "next_cursor": null}`, piece by piece. */
export type JsonPieces = AsyncGenerator<string, void, undefined>;

export const ROWS_AT_A_TIME = 500;

/**
 * Streams a whole list in bounded memory. An error before the first row is thrown here, so it is
 * answered like any other error. A later error cuts the answer off, so that no client takes half of
 * a list for all of it.
 */
export async function openWholeList<Row>(
  name: string,
  source: ListSource<Row>,
): Promise<JsonPieces> {
  const first = await source.read(null, ROWS_AT_A_TIME);
  return writeRows({
    name,
    source,
    first,
    tail: (total) => `,"total":${total},"next_cursor":null`,
  });
}

/** The JSON text of a list whose first page has been read, of up to `ROWS_AT_A_TIME` rows. */
export async function* writeRows<Row>(given: {
  readonly name: string;
  readonly source: ListSource<Row>;
  readonly first: readonly Row[];
  /** The text after the rows. */
  readonly tail: (total: number) => string;
}): JsonPieces {
  const { name, source, first, tail } = given;
  let total = 0;
  let rows = first;
  yield `{${JSON.stringify(name)}:[`;
  while (rows.length > 0) {
    const text = rows.map((row) => JSON.stringify(source.shape(row))).join(',');
    yield total === 0 ? text : `,${text}`;
    total += rows.length;
    const last = rows.length < ROWS_AT_A_TIME ? undefined : rows.at(-1);
    rows = last === undefined ? [] : await source.read(last, ROWS_AT_A_TIME);
  }
  yield `]${tail(total)}}`;
}
