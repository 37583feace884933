import type { WireBlocker } from '../../../src/shared/clients/svc/wire.ts';

/** The action that unblocks an execution, with the ids of the execution and of its work item. */
export function tellRemedy(
  { unblocked_by: remedy, work_item_id: workItemId }: WireBlocker,
  executionId: string,
): string {
  const named = remedy
    .replace('/executions/{id}/', `/executions/${executionId}/`)
    .replace(/\bsvc execution (?:resume|approve)$/, (command) => `${command} ${executionId}`);
  if (workItemId === undefined) return named;
  return named.replace('/work-items/{id}/', `/work-items/${workItemId}/`);
}
