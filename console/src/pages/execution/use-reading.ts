import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { call, type CallParams, type OperationName, type ReplyOf } from '../../api/client.ts';

export interface Reading<Reply> {
  readonly data: Reply | undefined;
  readonly error: Error | null;
  /** `data` is the answer to an earlier question. */
  readonly isStale: boolean;
  readonly refetch: () => void;
}

/** Old answers of a page that follows an execution are of no use. */
const KEPT_MS = 5_000;

/**
 * Reads an operation about one execution, again at each `key`. While the next answer is under way
 * the last one stays, so that nothing on screen moves.
 */
export function useReading<Name extends OperationName>(
  name: Name,
  {
    key,
    params,
    enabled = true,
    isFinal = false,
    everyMs,
  }: {
    /** Changes whenever the answer may have. */
    readonly key: readonly unknown[];
    readonly params: CallParams<Name>;
    readonly enabled?: boolean;
    /** The answer to this key never changes. */
    readonly isFinal?: boolean;
    /** Reads again after so long, for what changes without an event. */
    readonly everyMs?: number | undefined;
  },
): Reading<ReplyOf<Name>> {
  const query = useQuery({
    queryKey: [name, params.path, params.query, ...key],
    queryFn: ({ signal }) => call(name, { ...params, signal }),
    placeholderData: keepPreviousData,
    gcTime: isFinal ? 60_000 : KEPT_MS,
    staleTime: isFinal ? Infinity : 2_000,
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
  return {
    data: query.data,
    error: query.error,
    isStale: query.isPlaceholderData,
    refetch: () => void query.refetch(),
  };
}
