import { listExposedWorkflows } from '../../shared/engine/workflows/read-workflow.ts';
import type { UseCaseDeps } from '../../shared/engine/use-case-deps.ts';
import { DEFAULT_TENANT } from '../../shared/domain/ids.ts';
import type { ExposedWorkflow } from '../../shared/store/store.ts';

/** Everyone may ask for it, so the database is asked this often at most. */
const FRESH_MS = 5_000;
const WORKFLOWS_MAX = 200;

/**
 * The workflows that the runtime's own card names: those of the default tenant, since the workflows
 * of other tenants are not public. Concurrent callers share one read of the database.
 */
export function createExposedList(deps: {
  readonly engine: UseCaseDeps;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): () => Promise<readonly ExposedWorkflow[]> {
  let latest: { readonly at: number; readonly list: Promise<readonly ExposedWorkflow[]> } | null =
    null;
  return () => {
    const at = deps.now();
    if (latest !== null && at - latest.at < FRESH_MS) return latest.list;
    const reader = { tenantId: DEFAULT_TENANT };
    const list = listExposedWorkflows(deps.engine, reader, { limit: WORKFLOWS_MAX });
    latest = { at, list };
    // Later callers do not share a failed read.
    list.catch(() => {
      if (latest?.list === list) latest = null;
    });
    return list;
  };
}
