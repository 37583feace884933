import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { DueExecution, RetentionStore } from '../../store/retention.ts';
import { scanDue, type RetentionRequest } from './scan-due.ts';

/** Executions of one tenant and workflow that ended the same way. */
export interface DueGroup {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly executions: number;
  readonly events: number;
  /** The end that is longest ago. */
  readonly oldest: string;
}

/** What a run would remove right now, in the order of tenants, workflows and statuses. */
export async function previewRetention(
  store: RetentionStore,
  request: RetentionRequest,
): Promise<readonly DueGroup[]> {
  const groups = new Map<string, DueGroup>();
  for await (const page of scanDue(store, request)) {
    for (const execution of page) count(groups, execution);
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function count(groups: Map<string, DueGroup>, execution: DueExecution): void {
  const { tenantId, workflowId, status, lastSequence, completedAt } = execution;
  const name = JSON.stringify([tenantId, workflowId, status]);
  const group = groups.get(name);
  const oldest = group?.oldest ?? completedAt;
  groups.set(name, {
    tenantId,
    workflowId,
    status,
    executions: (group?.executions ?? 0) + 1,
    events: (group?.events ?? 0) + lastSequence,
    oldest: completedAt < oldest ? completedAt : oldest,
  });
}
