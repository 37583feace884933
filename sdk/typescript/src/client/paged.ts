/** A list that is read page by page as it is iterated over. Iterating again reads it again. */
export interface Paged<Item, Page> extends AsyncIterable<Item> {
  /** The first page alone, as the service answers it. */
  page(): Promise<Page>;
  /** Page by page. */
  pages(): AsyncIterable<Page>;
  /** All items. */
  toArray(): Promise<Item[]>;
}

/** `next`: the query of the page after this one; null: it was the last. */
export function createPaged<Item, Page, Query>(params: {
  readonly first: Query;
  readonly read: (query: Query) => Promise<Page>;
  readonly items: (page: Page) => readonly Item[];
  readonly next: (page: Page, query: Query) => Query | null;
}): Paged<Item, Page> {
  const { first, read, items, next } = params;

  async function* pages(): AsyncGenerator<Page, void, undefined> {
    for (let query: Query | null = first; query !== null;) {
      const page: Page = await read(query);
      yield page;
      query = next(page, query);
    }
  }

  async function* iterate(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* items(page);
  }

  return {
    page: () => read(first),
    pages,
    [Symbol.asyncIterator]: iterate,
    toArray: async () => {
      const all: Item[] = [];
      for await (const item of iterate()) all.push(item);
      return all;
    },
  };
}

/** Follows `next_cursor`. */
export function nextByCursor<Query extends object>(
  { next_cursor: cursor }: { readonly next_cursor: string | null },
  query: Query,
): Query | null {
  if (cursor === null) return null;
  // A cursor continues where the page ended, so the offset no longer applies.
  return { ...query, cursor, offset: undefined };
}

/** Advances by the number of items received, until a page is not full. */
export function nextByOffset<Query extends object>(count: number, query: Query): Query | null {
  const { limit = OFFSET_PAGE, offset = 0 } = query as { limit?: number; offset?: number };
  // The service may give fewer than were asked for, but not fewer than this.
  const isLast = count < Math.min(limit, OFFSET_PAGE);
  return isLast ? null : { ...query, limit, offset: offset + count };
}

/** Asked for where a list pages by offset and the caller names no limit. */
export const OFFSET_PAGE = 200;
