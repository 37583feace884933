import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';

import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import type { FilterParameters } from './filter.ts';
import { readExecutions, type Execution } from './read-executions.ts';

const EVERY_MS = 3_000;

export interface LiveList extends CursorList<Execution> {
  /** How many executions started since the list was read, at most a page of them. */
  readonly unseen: number;
}

/**
 * The list, and beside it a reading of its first page every few seconds. That reading updates rows
 * in their place. Rows that are new wait until `follows`, so that nothing moves under a reader.
 */
export function useLiveList(filter: FilterParameters, follows: boolean): LiveList {
  const list = useByCursor({
    key: ['executions', filter],
    read: (cursor, signal) => readExecutions(filter, cursor, signal),
  });
  const newest = useQuery({
    queryKey: ['executions-newest', filter],
    queryFn: ({ signal }) => readExecutions(filter, null, signal),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const latest = newest.isPlaceholderData ? [] : (newest.data?.rows ?? []);
  const known = new Set(list.rows.map(({ execution_id: id }) => id));
  const top = list.rows[0]?.created_at ?? '';
  const unseen = list.isLoading
    ? 0
    : latest.filter(({ execution_id: id, created_at: at }) => at >= top && !known.has(id)).length;
  const reload = useEffectEvent(list.reload);
  useEffect(() => {
    if (follows && unseen > 0) reload();
  }, [follows, unseen]);
  const changed = new Map(latest.map((row) => [row.execution_id, row]));
  const rows = list.rows.map((row) => newerOf(row, changed.get(row.execution_id)));
  return { ...list, rows, unseen };
}

/** The two readings arrive in any order. */
function newerOf(row: Execution, other: Execution | undefined): Execution {
  return other !== undefined && other.updated_at > row.updated_at ? other : row;
}
