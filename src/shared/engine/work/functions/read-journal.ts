import type { Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { findItem, type RunRef, staleFence } from './change-run.ts';
import { knownExecution } from './known-execution.ts';
import { type JournalPage, readPage } from './read-entries.ts';
import { visitKey } from '../../../domain/execution/state.ts';
import { badRequest, notFound } from '../../../domain/errors.ts';

/** A page of the journal of an item that the worker has, from a position on. */
export async function readJournal(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: RunRef & { readonly from: number; readonly limit: number },
): Promise<JournalPage> {
  const { record, lease } = await findItem(deps, tenantId, params);
  if (lease.leaseFence === 0) throw staleFence({});
  const { executionId, nodeId, visit: number } = record;
  const execution = await knownExecution(deps, executionId);
  if (execution === null) throw notFound(`work item ${params.workItemId}`);
  const { held: known } = execution;
  const visit = known.state.live.get(visitKey(nodeId, number));
  const run = visit?.run ?? null;
  if (visit === undefined || run === null) throw staleFence({});
  const { from, limit } = params;
  if (from > run.recorded.size) {
    throw badRequest(`the journal has ${run.recorded.size} entries, and none from ${from} on`);
  }
  return readPage(deps, { known, visit, run, from, limit });
}
