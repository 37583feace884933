import { useQuery } from '@tanstack/react-query';

import { call } from '../../../api/client.ts';
import { useSession } from '../../../app/session.tsx';

/** Ids of workflows that a query may name. */
export function useWorkflowIds(): readonly string[] {
  const { can } = useSession();
  const query = useQuery({
    queryKey: ['workflow-ids'],
    queryFn: ({ signal }) => call('list-workflows', { query: { limit: 100 }, signal }),
    enabled: can('GET', '/workflows'),
    staleTime: 60_000,
  });
  return [...new Set((query.data?.workflows ?? []).map(({ workflow_id: id }) => id))];
}
