import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf } from './call-api.ts';
import type { TestApi } from './test-api.ts';

/** Registers and starts the workflow, does the scheduler's part, and returns the execution's id. */
export async function startWorkflow(
  api: TestApi,
  params: {
    readonly ir: JsonObject;
    readonly input?: JsonObject;
    readonly labels?: JsonObject;
  },
): Promise<string> {
  await api.call({ path: '/workflows', body: { ir: params.ir } });
  const started = await api.call({
    path: '/executions',
    body: {
      workflow_id: params.ir['workflow_id'],
      input: params.input ?? {},
      labels: params.labels,
    },
  });
  const executionId = textOf(started, 'execution_id');
  await api.advance(executionId);
  return executionId;
}

/** One node that does nothing. */
export function passing(workflowId: string): JsonObject {
  return { workflow_id: workflowId, version: '1', nodes: { a: { kind: 'pass' } }, edges: [] };
}

/** One node for an external worker. */
export function tooling(workflowId: string, retryPolicy: JsonObject = {}): JsonObject {
  const kind = { type: 'python_fn', module: 'shop', function: 'reserve' };
  const nodes = { reserve: { kind, retry_policy: retryPolicy } };
  return { workflow_id: workflowId, version: '1', nodes, edges: [] };
}

/** One person's decision. */
export function approving(workflowId: string): JsonObject {
  const nodes = { sign: { kind: { type: 'human_approval', description: 'Sign it?' } } };
  return { workflow_id: workflowId, version: '1', nodes, edges: [] };
}

/** One wait for the external event `paid`. */
export function waiting(workflowId: string): JsonObject {
  const kind = { type: 'wait', condition: 'external_event', correlation_key: 'paid' };
  return { workflow_id: workflowId, version: '1', nodes: { pay: { kind } }, edges: [] };
}

export interface Claimed {
  readonly id: string;
  readonly execution_id: string;
  readonly lease_fence: number;
  readonly idempotency_key: string;
}

export async function claim(api: TestApi): Promise<Claimed> {
  const body = { worker_id: 'w1', queue_types: ['python_tool'] };
  const answer = await api.call({ path: '/work-items/claim', body });
  return answer.body['work_item'] as unknown as Claimed;
}
