import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf } from './call-api.ts';
import type { TestApi } from './test-api.ts';
import { approving, tooling, waiting, type Claimed } from './workflows.ts';

/** The ids of a tenant's objects. */
export interface TenantIds {
  readonly executionIds: readonly string[];
  readonly workflowId: string;
  readonly secondWorkflowId: string;
  /** Leased to `workerId`. */
  readonly workItemId: string;
  readonly leaseFence: number;
  readonly idempotencyKey: string;
  readonly deadItemId: string;
  readonly workerId: string;
  readonly agentId: string;
  readonly tokenId: string;
  readonly factId: string;
  readonly webhookId: string;
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly artifactHash: string;
  /** The ids that no other tenant can have. */
  readonly all: readonly string[];
}

/**
 * Gives a tenant objects of every kind, with the word `canary` in all texts. Examples are
 * executions that wait for a worker, a person and an event, a leased work item, a dead letter, an
 * agent, a fact and a token.
 */
export async function fillTenant(api: TestApi, tenant: string): Promise<TenantIds> {
  await api.makeTenant(tenant);
  const headers = { 'x-tenant-id': tenant };
  const send = async (path: string, body: JsonObject) => {
    const answer = await api.call({ path, body, headers });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.error}`);
    return answer;
  };
  const start = async (ir: JsonObject) => {
    await send('/workflows', { ir });
    const body = { workflow_id: ir['workflow_id'] ?? null, input: { secret: 'canary' } };
    const executionId = textOf(await send('/executions', body), 'execution_id');
    await api.advance(executionId);
    return executionId;
  };
  const workerId = 'worker-canary';
  const claim = async () => {
    const body = { worker_id: workerId, queue_types: ['python_tool'] };
    const answer = await send('/work-items/claim', body);
    return answer.body['work_item'] as unknown as Claimed;
  };

  const webhook = await send('/webhooks', { url: 'https://canary.example/hook' });
  const artifact = await send('/artifacts', { content: 'canary' });
  const dying = await start(tooling('canary-tooling', { max_attempts: 1 }));
  const dead = await claim();
  await send(`/work-items/${dead.id}/fail`, {
    lease_fence: dead.lease_fence,
    error: 'canary',
  });
  const executionIds = [
    dying,
    await start(tooling('canary-tooling')),
    await start(approving('canary-approving')),
    await start(waiting('canary-waiting')),
  ];
  const leased = await claim();
  // This item waits, so that another tenant's claim could find it.
  executionIds.push(await start(tooling('canary-tooling')));
  const schedule = await send('/schedules', {
    name: 'schedule-canary',
    workflow_id: 'canary-tooling',
    input: { secret: 'canary' },
    cron_expression: '0 0 1 1 *',
  });
  const agent = await send('/agents', {
    id: 'agent-canary',
    name: 'Agent canary',
    url: 'https://canary.example',
  });
  await send('/v1/memory/settings', { provider: 'openai', api_key: 'sk-canary' });
  const fact = await send('/v1/memory/add', { content: 'canary', end_user_id: 'canary' });
  const token = await send('/tokens', { name: 'canary', role: 'viewer' });
  const ids = {
    executionIds,
    workflowId: 'canary-tooling',
    secondWorkflowId: 'canary-waiting',
    workItemId: leased.id,
    leaseFence: leased.lease_fence,
    idempotencyKey: leased.idempotency_key,
    deadItemId: dead.id,
    workerId,
    agentId: textOf(agent, 'agent_id'),
    tokenId: textOf(token, 'token_id'),
    factId: textOf(fact, 'id'),
    webhookId: textOf(webhook, 'webhook_id'),
    scheduleId: textOf(schedule, 'schedule_id'),
    scheduleName: textOf(schedule, 'name'),
    artifactHash: textOf(artifact, 'hash'),
  };
  const all = [
    ...executionIds,
    leased.id,
    dead.id,
    leased.idempotency_key,
    ids.tokenId,
    ids.factId,
    ids.webhookId,
    ids.scheduleId,
    ids.scheduleName,
    ids.artifactHash,
  ];
  return { ...ids, all };
}
