import { notFound } from '../../domain/errors.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { CommitPlan, CommitVerdict } from '../../store/commit.ts';
import type { LoadedExecution } from '../../store/store.ts';
import { afterCommit } from './after-commit.ts';
import type { EngineDeps } from '../deps.ts';
import { foldLoaded, loadForCaller } from '../advance/load-execution.ts';
import { retryWhileMoved } from './retry-while-moved.ts';

export type ProposedChange<Answer> =
  | { readonly commit: CommitPlan; readonly answer: Answer }
  /** There is nothing to write. */
  | { readonly commit: null; readonly answer: Answer };

/**
 * Reads an execution, works out a change on what was read, and commits it on the condition that the
 * execution has not moved; if it has, all of it is done again on the newer state.
 */
export async function changeExecution<Answer>(
  deps: EngineDeps,
  params: {
    /** Null: any tenant. */
    readonly tenantId: TenantId | null;
    readonly executionId: string;
    readonly propose: (
      state: ExecutionState,
      loaded: LoadedExecution,
    ) => ProposedChange<Answer> | Promise<ProposedChange<Answer>>;
  },
): Promise<Answer> {
  const { answer } = await retryWhileMoved(`execution ${params.executionId}`, async () => {
    const loaded = await loadForCaller({ executions: deps.store.executions, ...params });
    const proposed = await params.propose(foldLoaded(loaded, null), loaded);
    if (proposed.commit === null) return proposed;
    const { commit } = proposed;
    const verdict = await deps.committer.commit(commit, { ahead: true });
    if (verdict.accepted) {
      afterCommit(deps, { commit, row: loaded.row, committedAt: verdict.createdAt });
      return proposed;
    }
    checkRetriable(verdict, params.executionId);
    return null;
  });
  return answer;
}

function checkRetriable(
  verdict: Extract<CommitVerdict, { accepted: false }>,
  executionId: string,
): void {
  switch (verdict.reason) {
    case 'moved':
    case 'ended':
    case 'stale':
    case 'workflow_resumed':
    case 'workflow_paused':
      return;
    case 'missing':
      throw notFound(`execution ${executionId}`);
    case 'duplicate_request':
    case 'exists':
    case 'executions_limited':
    case 'queue_limited':
    case 'places_taken':
    case 'orphaned':
    case 'descendants_limited':
      throw new Error(`a change of ${executionId} was refused as ${verdict.reason}`);
  }
}
