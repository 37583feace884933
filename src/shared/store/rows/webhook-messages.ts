import type { ExecutionId } from '../../domain/ids.ts';
import type { WebhookMessage } from '../../domain/webhooks/webhook.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { CommitPlan } from '../commit.ts';

/**
 * The messages of a plan for webhooks, in order: that a person must decide, that an item failed
 * permanently, and then the status of the execution.
 */
export function messagesOf(plan: CommitPlan): readonly WebhookMessage[] {
  return [...approvalsOf(plan), ...deadLettersOf(plan), ...statusOf(plan)];
}

/** The end of an execution starts only the run that continues it. */
function continuedAs({ status, startsExecutions: [next] }: CommitPlan): JsonObject {
  return status === 'completed' && next !== undefined ? { continued_as: next.executionId } : {};
}

/** The messages about the executions that a plan starts. */
export function messagesOfStarted(
  plan: CommitPlan,
): readonly { readonly executionId: ExecutionId; readonly message: WebhookMessage }[] {
  return plan.startsExecutions.map(({ executionId }) => ({
    executionId,
    message: {
      eventType: 'execution.running',
      data: { execution_id: executionId, status: 'running' },
      ifStatusBecomes: 'running',
    },
  }));
}

/** Whether there is anything to tell, without making it. */
export function hasMessages(plan: CommitPlan): boolean {
  return (
    plan.status !== null ||
    plan.create !== null ||
    plan.startsExecutions.length > 0 ||
    plan.deadLetters.length > 0 ||
    plan.events.some(({ kind }) => kind === 'ApprovalRequested')
  );
}

function approvalsOf(plan: CommitPlan): readonly WebhookMessage[] {
  return plan.events
    .filter(({ kind }) => kind === 'ApprovalRequested')
    .map(({ nodeId, payload }) => ({
      eventType: 'approval.requested',
      data: {
        execution_id: plan.executionId,
        node_id: nodeId,
        ...withoutShown(JSON.parse(payload) as JsonObject),
      },
      ifStatusBecomes: null,
    }));
}

/**
 * The call to approve may contain anything: the deciding person reads it from the API, which
 * applies the data policy.
 */
function withoutShown({ shown: _shown, ...told }: JsonObject): JsonObject {
  return told;
}

function deadLettersOf(plan: CommitPlan): readonly WebhookMessage[] {
  return plan.deadLetters.map(({ workItemId, attempt, error }) => ({
    eventType: 'work_item.dead_lettered',
    data: { execution_id: plan.executionId, work_item_id: workItemId, attempt, error },
    ifStatusBecomes: null,
  }));
}

function statusOf(plan: CommitPlan): readonly WebhookMessage[] {
  const status = plan.status ?? (plan.create === null ? null : 'running');
  if (status === null) return [];
  return [
    {
      eventType: `execution.${status}`,
      data: {
        execution_id: plan.executionId,
        status,
        ...(plan.error !== null && { error: plan.error }),
        ...continuedAs(plan),
      },
      ifStatusBecomes: status,
    },
  ];
}
