import type { ExecutionRef, Reader } from '../caller.ts';
import { wasBroughtBy } from '../../domain/a2a/message-ids.ts';
import type { EngineDeps } from '../deps.ts';
import { findForCaller } from '../advance/load-execution.ts';

const EVENTS_PER_PAGE = 500;

/** Looks at the events as they were written: what people are shown may have the ids hidden. */
export async function wasMessageReceived(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: ExecutionRef & {
    readonly messageId: string;
    readonly after: number;
    readonly through: number;
  },
): Promise<boolean> {
  const { executions } = deps.store;
  const { executionId } = await findForCaller({
    executions,
    tenantId,
    executionId: params.executionId,
  });
  let { after } = params;
  while (after < params.through) {
    const events = await executions.events({ executionId, after, limit: EVENTS_PER_PAGE });
    if (events.some((event) => wasBroughtBy(event, params.messageId))) return true;
    const last = events.at(-1);
    if (last === undefined) return false;
    after = last.sequence;
  }
  return false;
}
