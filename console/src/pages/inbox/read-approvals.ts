import { useQuery } from '@tanstack/react-query';

import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';

export type Approval = ReplyOf<'list-all-approvals'>['approvals'][number];
export type ApprovalStatus = 'pending' | 'decided';

/** What tells an approval from every other one. */
export interface ApprovalName {
  readonly execution: string;
  readonly node: string;
  readonly visit: string;
  /** Empty: the node itself waits, not a wait of a durable function. */
  readonly step: string;
}

const REFRESH_MS = 5_000;

export function useApprovals(
  status: ApprovalStatus,
  workflowId: string | undefined,
): CursorList<Approval> {
  return useByCursor({
    key: ['approvals', status, workflowId ?? null],
    read: async (cursor, signal) => {
      const query = { status, workflow_id: workflowId, cursor: cursor ?? undefined };
      const page = await call('list-all-approvals', { query, signal });
      return { rows: page.approvals, nextCursor: page.next_cursor };
    },
    everyMs: REFRESH_MS,
  });
}

/** How an approval ended that is no longer open. */
export interface Ending {
  readonly decision: 'approved' | 'rejected';
  /** Null: the list of latest decisions no longer has the caller that sent it. */
  readonly by: string | null;
  readonly comment: string | null;
  readonly at: string;
}

/** The decision on an approval; null: it ended without one. */
export function useEnding(name: ApprovalName) {
  return useQuery({
    queryKey: ['approvals', 'ending', keyOf(name)],
    queryFn: ({ signal }) => readEnding(name, signal),
  });
}

async function readEnding(name: ApprovalName, signal: AbortSignal): Promise<Ending | null> {
  const query = { status: 'decided' } as const;
  const { approvals } = await call('list-all-approvals', { query, signal });
  const latest = approvals.find((one) => keyOf(nameOf(one)) === keyOf(name));
  if (latest?.decision) {
    const { decision, comment, user_id: userId, actor_id: actorId, decided_at: at } = latest;
    return { decision, comment, by: userId ?? actorId, at: at ?? latest.requested_at };
  }
  const path = { id: name.execution };
  const { decided } = await call('list-approvals', { path, signal });
  const found = decided.find(
    (one) =>
      one.node_id === name.node &&
      String(one.visit) === name.visit &&
      (one.step ?? '') === name.step,
  );
  if (found === undefined) return null;
  const { decision, comment, user_id: by, decided_at: at } = found;
  return { decision, comment, by, at };
}

export function nameOf(approval: Approval): ApprovalName {
  return {
    execution: approval.execution_id,
    node: approval.node_id,
    visit: String(approval.visit),
    step: approval.step ?? '',
  };
}

export function keyOf({ execution, node, visit, step }: ApprovalName): string {
  return JSON.stringify([execution, node, visit, step]);
}
