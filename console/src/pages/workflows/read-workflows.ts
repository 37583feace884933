import { call, type ReplyOf } from '../../api/client.ts';
import type { CursorPage } from '../../api/by-cursor.ts';

/** The newest revision of one version of a workflow. */
export type WorkflowVersion = ReplyOf<'list-workflows'>['workflows'][number];
export type WorkflowPause = NonNullable<WorkflowVersion['pause']>;

const PAGE = 50;

/** A page of definitions, newest first; with `workflowId`, of that workflow alone. */
export async function readWorkflows(
  workflowId: string | null,
  cursor: string | null,
  signal: AbortSignal,
): Promise<CursorPage<WorkflowVersion>> {
  const page = await call('list-workflows', {
    query: { limit: PAGE, cursor: cursor ?? undefined, workflow_id: workflowId ?? undefined },
    signal,
  });
  return { rows: page.workflows, nextCursor: page.next_cursor };
}
