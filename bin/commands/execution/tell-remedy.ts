import type { WireBlocker } from '../../../src/shared/clients/svc/wire.ts';

/** The way to unblock an execution, with its id and that of its work item, so that people can paste it. */
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
