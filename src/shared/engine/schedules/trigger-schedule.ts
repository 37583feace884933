import type { ExecutionId } from '../../domain/ids.ts';
import type { Caller } from '../caller.ts';
import { startExecution } from '../executions/start-execution.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { missing, type ScheduleName } from './schedule-view.ts';

const PRIORITY = 5;

/**
 * Starts the execution of a schedule now, in the caller's name. The fires stay as they are, so
 * this neither moves the next one nor counts for the overlap policy. Throws 404 and the errors of
 * a start.
 */
export async function triggerSchedule(
  deps: UseCaseDeps,
  caller: Caller,
  name: ScheduleName & { readonly idempotencyKey: string | null },
): Promise<{ readonly executionId: ExecutionId }> {
  const { schedule } = name;
  const found = await deps.store.schedules.find({ tenantId: caller.tenantId, schedule });
  const { workflowId, workflowVersion, input } = found ?? missing(name);
  const { idempotencyKey } = name;
  return startExecution(deps, caller, {
    workflowId,
    workflowVersion,
    input,
    idempotencyKey,
    priority: PRIORITY,
  });
}
