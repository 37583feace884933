import { Link } from '@tanstack/react-router';

import { useByCursor } from '../../../api/by-cursor.ts';
import { call } from '../../../api/client.ts';
import { useSession } from '../../../app/session.tsx';
import { StatusBadge } from '../../../ui/data/badge.tsx';
import { LoadMore } from '../../../ui/data/load-more.tsx';
import { CompareLink } from './compare-link.tsx';

const PAGE_FORKS = 10;

/** The forks of an execution as items of its lineage, newest first, page by page. */
export function useForks(id: string) {
  const { can } = useSession();
  return useByCursor({
    key: ['list-forks', id],
    read: async (cursor, signal) => {
      const query = { limit: PAGE_FORKS, ...(cursor === null ? {} : { cursor }) };
      const { forks, next_cursor: nextCursor } = await call('list-forks', {
        path: { id },
        query,
        signal,
      });
      return { rows: forks, nextCursor };
    },
    enabled: can('GET', '/executions/:id/forks'),
  });
}

export function Forks({
  id,
  list,
}: {
  readonly id: string;
  readonly list: ReturnType<typeof useForks>;
}) {
  return (
    <>
      {list.rows.map((fork) => (
        <li key={fork.execution_id}>
          Forked as{' '}
          <Link to="/executions/$id" params={{ id: fork.execution_id }}>
            {fork.execution_id}
          </Link>{' '}
          {tellPoint(fork)} <StatusBadge status={fork.status} />{' '}
          <CompareLink one={id} other={fork.execution_id} />
        </li>
      ))}
      {list.hasMore ? (
        <li>
          <LoadMore list={list} />
        </li>
      ) : null}
    </>
  );
}

export function tellPoint(point: {
  readonly sequence: number;
  readonly node_id: string | null;
}): string {
  return point.node_id === null ? `after event ${point.sequence}` : `at ${point.node_id}`;
}
