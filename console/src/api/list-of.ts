import type { CursorList } from './by-cursor.ts';

/** A reading that answers with all rows at once, as a list: it has no further page. */
export function listOf<Answer, Row>(
  query: {
    readonly data: Answer | undefined;
    readonly error: Error | null;
    readonly isPending: boolean;
    readonly refetch: () => unknown;
  },
  pick: (answer: Answer) => readonly Row[],
): Pick<CursorList<Row>, 'rows' | 'hasMore' | 'isLoading' | 'error' | 'reload'> {
  return {
    rows: query.data === undefined ? [] : pick(query.data),
    hasMore: false,
    isLoading: query.isPending,
    error: query.data === undefined ? query.error : null,
    reload: () => void query.refetch(),
  };
}
