import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Request } from './network.ts';
import type { Client, Held } from './requests.ts';
import type { PlannedSchedule } from './scenario.ts';

/** Requests of old workers and of operators, as calls of their endpoints to the engine. */

/** `key` is null if the client sends none. */
export function askToCompleteUnfenced(
  by: Client,
  of: Pick<Held, 'workItemId'> & { readonly key: string | null; readonly output: JsonObject },
): Request {
  const { workItemId, key, output } = of;
  return {
    ...by,
    asks: { do: 'complete_unfenced', workItemId, key, output },
    serve: async (engine) => {
      await engine.completeWorkItem({
        ...unfenced(by, workItemId),
        idempotencyKey: key,
        output,
        statePatch: {},
        durationMs: null,
        genAiModel: null,
        finishReason: null,
        usage: null,
      });
      return { body: { completed: true, work_item_id: workItemId } };
    },
  };
}

export function askToFailUnfenced(
  by: Client,
  { workItemId }: { readonly workItemId: string },
): Request {
  return {
    ...by,
    asks: { do: 'fail_unfenced', workItemId },
    serve: async (engine) => {
      const failure = { error: 'it broke', errorClass: 'error', usage: null };
      await engine.failWorkItem({ ...unfenced(by, workItemId), ...failure });
      return { body: { failed: true, work_item_id: workItemId } };
    },
  };
}

function unfenced({ tenantId }: Client, workItemId: string) {
  return {
    tenantId: tenantId as TenantId,
    workItemId,
    leaseFence: null,
    executionId: null,
    nodeId: null,
  };
}

/** `onItems`: see `askForWork`. */
export function askForDeadLetters(
  by: Client,
  of: { readonly onItems: (workItemIds: readonly string[]) => void },
): Request {
  return {
    ...by,
    asks: { do: 'dead_letters' },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      const found = await engine.listDeadLetters({ tenantId, limit: 20, before: null });
      const ids = found.map(({ workItemId }) => workItemId);
      of.onItems(ids);
      return { body: { work_items: ids } };
    },
  };
}

export function askToRequeue(by: Client, of: { readonly workItemId: string }): Request {
  const { workItemId } = of;
  return {
    ...by,
    asks: { do: 'requeue', workItemId },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      await engine.requeueWorkItem({ tenantId, workItemId, actorId: `token:${by.client}` });
      return { body: { requeued: true, work_item_id: workItemId } };
    },
  };
}

export function askToSetStatus(
  by: Client,
  { status }: { readonly status: 'active' | 'suspended' },
): Request {
  return {
    ...by,
    asks: { do: 'set_status', status },
    serve: async (engine) => {
      const changes = { name: null, status, policy: null, limits: null };
      const { tenantId, client } = by;
      await engine.updateTenant({ tenantId, changes, actorId: `token:${client}` });
      return { body: { id: tenantId, status } };
    },
  };
}

export function askToSchedule(by: Client, of: PlannedSchedule): Request {
  const { name, workflowId, overlapPolicy } = of;
  return {
    ...by,
    asks: { do: 'schedule', name },
    serve: async (engine) => {
      await engine.putSchedule({
        ...ownerOf(by),
        name,
        spec: {
          workflowId,
          workflowVersion: null,
          input: { schedule: name },
          cronExpression: null,
          every: '1s',
          timezone: 'UTC',
          overlapPolicy,
          catchupWindowSecs: 60,
          paused: false,
        },
      });
      return { status: 201, body: { name } };
    },
  };
}

export function askToPause(by: Client, { name }: { readonly name: string }): Request {
  return {
    ...by,
    asks: { do: 'pause_schedule', name },
    serve: async (engine) => {
      const paused = { changes: { paused: true }, ifRevision: null, name: null };
      await engine.updateSchedule({ ...ownerOf(by), schedule: name, ...paused });
      return { body: { name, paused: true } };
    },
  };
}

/** See `svc retention run`, which first waits for seals. */
export function askToRetain(by: Client, of: { readonly batchMax: number }): Request {
  return {
    ...by,
    asks: { do: 'retain' },
    serve: async (engine) => {
      const { executions, events } = await engine.retain({ actorId: `token:${by.client}`, ...of });
      return { body: { executions, events } };
    },
  };
}

function ownerOf({ client, tenantId }: Client) {
  return { tenantId: tenantId as TenantId, actorId: `token:${client}` };
}

/** See `POST /workflows/:id/pause`. */
export function askToPauseWorkflow(
  by: Client,
  { workflowId }: { readonly workflowId: string },
): Request {
  return {
    ...by,
    asks: { do: 'pause_workflow', workflowId },
    serve: async (engine) => {
      const { progress } = await engine.pauseWorkflow({ ...ownerOf(by), workflowId, reason: null });
      return { body: { workflow_id: workflowId, state: progress } };
    },
  };
}

export function askToResumeWorkflow(
  by: Client,
  { workflowId }: { readonly workflowId: string },
): Request {
  return {
    ...by,
    asks: { do: 'resume_workflow', workflowId },
    serve: async (engine) => {
      const pause = await engine.resumeWorkflow({ ...ownerOf(by), workflowId });
      return { body: { workflow_id: workflowId, state: pause?.progress ?? null } };
    },
  };
}
