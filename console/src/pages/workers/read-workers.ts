import { useQuery } from '@tanstack/react-query';

import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';

export type Queue = ReplyOf<'list-queues'>['queues'][number];
export type Worker = ReplyOf<'list-workers'>['workers'][number];
export type Lease = ReplyOf<'list-leases'>['leases'][number];

const REFRESH_MS = 3_000;

export function useQueues() {
  return useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => call('list-queues', { signal }),
    refetchInterval: REFRESH_MS,
  });
}

export function useWorkers() {
  return useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => call('list-workers', { signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** The items that are leased now, of one worker or of all. */
export function useLeases(workerId: string | undefined): CursorList<Lease> {
  return useByCursor({
    key: ['leases', workerId ?? null],
    read: async (cursor, signal) => {
      const query = { worker_id: workerId, cursor: cursor ?? undefined };
      const page = await call('list-leases', { query, signal });
      return { rows: page.leases, nextCursor: page.next_cursor };
    },
    everyMs: REFRESH_MS,
  });
}
