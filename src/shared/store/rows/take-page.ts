/** `last`: the last row of the page, if another page follows. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly last: Row | undefined;
}

/** A page of a list that was read with one row more than the page has. */
export function takePage<Row>(read: readonly Row[], limit: number): Page<Row> {
  if (read.length <= limit) return { rows: read, last: undefined };
  const rows = read.slice(0, limit);
  return { rows, last: rows.at(-1) };
}
