import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call } from '../../api/client.ts';
import { executionsOf } from './executions-of.ts';

const REFRESH_MS = 30_000;

/** The number of executions of a version that run now, as a link to them. */
export function RunningCount({ id, version }: { readonly id: string; readonly version: string }) {
  const search = executionsOf({ id, version, status: 'running' });
  const { data } = useQuery({
    queryKey: ['executions', 'counts', search],
    queryFn: ({ signal }) =>
      call('count-executions', { query: { q: search['q'], buckets: 1 }, signal }),
    refetchInterval: REFRESH_MS,
  });
  const count = data === undefined ? '' : ` (${data.is_exact ? '' : 'at least '}${data.total})`;
  return (
    <Link to="/executions" search={search}>
      Running{count}
    </Link>
  );
}
