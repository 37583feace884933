import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

/** A page of a keyset-paged list. */
export interface CursorPage<Row> {
  readonly rows: readonly Row[];
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
  /** False: the service looked through a part of what there is. */
  readonly isExact?: boolean;
}

/** A list that grows page by page. */
export interface CursorList<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  /** False: a page on screen is of a part of what there is. */
  readonly isExact: boolean;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: Error | null;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** Reads a keyset-paged list. A new key keeps the rows of the last one on screen until it is read. */
export function useByCursor<Row>(params: {
  readonly key: readonly unknown[];
  readonly read: (cursor: string | null, signal: AbortSignal) => Promise<CursorPage<Row>>;
  /** Milliseconds between two readings of the pages on screen; absent: none. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
}): CursorList<Row> {
  const query = useInfiniteQuery({
    queryKey: params.key,
    queryFn: ({ pageParam, signal }) => params.read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    enabled: params.enabled ?? true,
    ...(params.everyMs === undefined ? {} : { refetchInterval: params.everyMs }),
  });
  return {
    rows: query.data?.pages.flatMap((page) => page.rows) ?? [],
    hasMore: query.hasNextPage,
    isExact: query.data?.pages.every((page) => page.isExact !== false) ?? true,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    error: query.data === undefined ? query.error : null,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
    },
    reload: () => void query.refetch(),
  };
}
