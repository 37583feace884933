import { type ExecutionId, parseExecutionId } from '../../../domain/ids.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { AuditPlace } from '../../../store/audit.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { ExecutionRef, Reader } from '../../caller.ts';
import type { EngineDeps } from '../../deps.ts';
import type { ListedItem } from '../../../store/audit.ts';
import type { ForkPoint } from './find-fork-point.ts';
import { FORK_REQUESTED } from './fork-execution.ts';

export interface ListedFork extends ForkPoint {
  readonly executionId: ExecutionId;
  readonly status: ExecutionStatus;
  readonly actorId: string;
  readonly forkedAt: string;
}

export interface ForkPage {
  readonly forks: readonly ListedFork[];
  /** Null: there are no more. */
  readonly next: AuditPlace | null;
}

/** The forks of an execution that exist, newest first; a page may hold fewer than `limit`. */
export async function listForks(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: ExecutionRef & { readonly after: AuditPlace | null; readonly limit: number },
): Promise<ForkPage> {
  const { executions } = deps.store;
  const row = await findForCaller({ executions, tenantId, executionId: params.executionId });
  const { items, next } = await deps.store.audit.list({
    tenantId,
    executionId: row.executionId,
    eventType: FORK_REQUESTED,
    actorId: null,
    after: params.after,
    limit: params.limit,
    offset: 0,
  });
  const forks = await Promise.all(
    items.map(async (item): Promise<ListedFork[]> => {
      const named = readFork(item);
      const fork = named && (await executions.find(named.executionId, null));
      if (named === null || fork === null || fork.tenantId !== tenantId) return [];
      const { actorId, createdAt: forkedAt } = item;
      return [{ ...named, status: fork.status, actorId, forkedAt }];
    }),
  );
  return { forks: forks.flat(), next };
}

function readFork({
  payload,
}: ListedItem): Pick<ListedFork, 'executionId' | 'sequence' | 'nodeId'> | null {
  const { fork = null, sequence = null, node_id: nodeId = null } = payload ?? {};
  const executionId = typeof fork === 'string' ? parseExecutionId(fork) : null;
  if (executionId === null || typeof sequence !== 'number') return null;
  return { executionId, sequence, nodeId: typeof nodeId === 'string' ? nodeId : null };
}
