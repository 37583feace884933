import { badRequest } from '../shared/domain/errors.ts';
import { takePage } from '../shared/store/rows/take-page.ts';

/** The database counts through every row that an offset skips, so a deep one costs as much as a scan. */
export const OFFSET_MAX = 10_000;

export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Refuses an offset beyond `OFFSET_MAX` if the list has a row there. In a shorter list, such an offset is
 * the empty page behind its end. `read` reads the list with the filters of the request.
 */
export async function checkOffset(
  offset: number,
  read: (page: OffsetPage) => Promise<{ readonly length: number }>,
): Promise<void> {
  if (offset <= OFFSET_MAX) return;
  const { length } = await read({ limit: 1, offset: OFFSET_MAX });
  if (length === 0) return;
  throw badRequest(
    `offset must be at most ${OFFSET_MAX} in a list of this length; ` +
      'continue with cursor, the next_cursor of an earlier page',
  );
}

/** Reads a page of a list. `last`: its last row if another page follows. */
export async function readPage<Row>(
  { limit, offset }: OffsetPage,
  read: (page: OffsetPage) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly last: Row | undefined }> {
  await checkOffset(offset, read);
  return takePage(await read({ limit: limit + 1, offset }), limit);
}
