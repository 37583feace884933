import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { ImportPlan } from '../../support/import-variants.ts';
import type { Request } from './ask-service.ts';

/** The requests of clients, in their HTTP form. */

/** How long a claim waits for an item. */
const CLAIM_WAIT_MS = 1_000;

/** A lease, as its holder knows it. */
export interface Held {
  readonly workItemId: string;
  readonly fence: number;
  readonly key: string;
}

export function askToStart(of: {
  readonly key: string;
  readonly workflowId: string;
  readonly token: string;
  readonly input: JsonObject;
}): Request {
  return {
    asks: { do: 'start', ...of },
    http: {
      path: '/executions',
      body: { workflow_id: of.workflowId, input: of.input },
      headers: { 'Idempotency-Key': of.key },
    },
  };
}

export function askToCancel(executionId: string): Request {
  const path = `/executions/${executionId}/cancel`;
  return { asks: { do: 'cancel', executionId }, http: { method: 'POST', path } };
}

export function askToPause(executionId: string): Request {
  const path = `/executions/${executionId}/pause`;
  return { asks: { do: 'pause', executionId }, http: { method: 'POST', path } };
}

export function askToResume(executionId: string): Request {
  const path = `/executions/${executionId}/resume`;
  return { asks: { do: 'resume', executionId }, http: { method: 'POST', path } };
}

export function askToPauseWorkflow(workflowId: string): Request {
  const path = `/workflows/${workflowId}/pause`;
  return { asks: { do: 'pause_workflow', workflowId }, http: { method: 'POST', path } };
}

export function askToResumeWorkflow(workflowId: string): Request {
  const path = `/workflows/${workflowId}/resume`;
  return { asks: { do: 'resume_workflow', workflowId }, http: { method: 'POST', path } };
}

export function askToRetry(executionId: string, statePatch: JsonObject | null): Request {
  const path = `/executions/${executionId}/retry`;
  const body = statePatch === null ? {} : { state_patch: statePatch };
  return { asks: { do: 'retry', executionId, statePatch }, http: { path, body } };
}

export function askToDecide(of: {
  readonly executionId: string;
  readonly decision: 'approved' | 'rejected';
  readonly token: string;
  /** The step of a durable function that waits, and patches no state. */
  readonly step?: string | null;
}): Request {
  const { executionId, decision, token, step = null } = of;
  const about = step === null ? { state_patch: { reviewed: token } } : { step };
  return {
    asks: { do: 'approve', executionId, decision, token },
    http: {
      path: `/executions/${executionId}/approve`,
      body: { decision, user_id: token, comment: token, ...about },
    },
  };
}

export function askToDeliver(of: {
  readonly executionId: string;
  readonly correlationKey: string;
  readonly token: string;
}): Request {
  const { executionId, correlationKey, token } = of;
  return {
    asks: { do: 'event', ...of },
    http: {
      path: `/executions/${executionId}/external-event`,
      body: { correlation_key: correlationKey, payload: { token } },
    },
  };
}

export function askForWork(of: {
  readonly workerId: string;
  readonly queues: readonly string[];
  readonly itemsMax: number;
}): Request {
  const { workerId, queues, itemsMax } = of;
  return {
    asks: { do: 'claim', workerId, queues },
    http: {
      path: '/work-items/claim',
      body: {
        worker_id: workerId,
        queue_types: queues,
        max_items: itemsMax,
        wait_ms: CLAIM_WAIT_MS,
      },
    },
  };
}

export function askToRenew(workerId: string, { workItemId, fence }: Held): Request {
  return {
    asks: { do: 'heartbeat', workItemId, fence },
    http: {
      path: `/work-items/${workItemId}/heartbeat`,
      body: { worker_id: workerId, lease_fence: fence },
    },
  };
}

export function askToComplete(of: Held & { readonly output: JsonObject }): Request {
  const { workItemId, fence, key, output } = of;
  return {
    asks: { do: 'complete', workItemId, fence, key, output },
    http: {
      path: `/work-items/${workItemId}/complete`,
      body: { output, state_patch: {}, lease_fence: fence, idempotency_key: key },
    },
  };
}

export function askToFail({ workItemId, fence }: Held): Request {
  const token = `broken under ${workItemId}:${fence}`;
  return {
    asks: { do: 'fail', workItemId, fence, token },
    http: {
      path: `/work-items/${workItemId}/fail`,
      body: { error: token, lease_fence: fence },
    },
  };
}

export function askToRead(executionId: string): Request {
  return { asks: { do: 'read', executionId }, http: { path: `/executions/${executionId}` } };
}

export function askForEvents(executionId: string): Request {
  const path = `/executions/${executionId}/events`;
  return { asks: { do: 'read_events', executionId }, http: { path } };
}

export function askToExport(executionId: string): Request {
  const path = `/executions/${executionId}/export`;
  return { asks: { do: 'export', executionId }, http: { path } };
}

export function askToImport({ asks, document }: ImportPlan): Request {
  const body = document as unknown as JsonObject;
  return { asks, http: { path: '/executions/import', body } };
}

export function askToExplain(executionId: string): Request {
  const path = `/executions/${executionId}/explain`;
  return { asks: { do: 'explain', executionId }, http: { path } };
}

export const LIST_MAX = 500;

/** Lists executions with a status, by default all that have not ended; at most 500. */
export function askToList(status?: string): Request {
  const query = status === undefined ? '' : `&status=${status}`;
  return { asks: { do: 'list' }, http: { path: `/executions?limit=${LIST_MAX}${query}` } };
}

export function askToMint(name: string): Request {
  return {
    asks: { do: 'mint', name },
    http: { path: '/tokens', body: { name, role: 'developer' } },
  };
}
