import { useQueries } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../../api/client.ts';

export type ExecutionEvent = ReplyOf<'read-events'>['events'][number];

const PAGE_EVENTS = 100;

/**
 * The events in view, by sequence. A history has no gaps, so a row's place names its event: pages
 * are read at any place, in either direction, and none is read that is not in view.
 */
export function useEventPages(
  id: string,
  { first, last, seen }: { readonly first: number; readonly last: number; readonly seen: number },
): { readonly events: ReadonlyMap<number, ExecutionEvent>; readonly error: Error | null } {
  const firstPage = Math.floor((Math.max(1, first) - 1) / PAGE_EVENTS);
  const lastPage = Math.floor((Math.max(1, Math.min(last, seen)) - 1) / PAGE_EVENTS);
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index);
  return useQueries({
    queries: pages.map((page) => {
      const after = page * PAGE_EVENTS;
      const upTo = Math.min(after + PAGE_EVENTS, seen);
      return {
        queryKey: ['events of an execution', id, page, upTo],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const limit = upTo - after;
          if (limit <= 0) return [];
          const query = { after, limit, payload: 'brief' } as const;
          return (await call('read-events', { path: { id }, query, signal })).events;
        },
        // Events never change.
        staleTime: Infinity,
        gcTime: 30_000,
      };
    }),
    combine: (results) => ({
      events: new Map(
        results.flatMap(({ data = [] }) => data.map((event) => [event.sequence, event] as const)),
      ),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
}
