import { useQuery } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../api/client.ts';

const REFRESH_MS = 10_000;

/** One version of a workflow with its definition; `version` null: the one registered last. */
export function useWorkflow(workflowId: string, version: string | null) {
  return useQuery({
    queryKey: ['workflow', workflowId, version],
    queryFn: ({ signal }) =>
      call('read-workflow', {
        path: { id: workflowId },
        query: { version: version ?? undefined },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    enabled: workflowId !== '',
  });
}

export type Workflow = ReplyOf<'read-workflow'>;
