import { DEFAULT_QUEUE } from '../../src/shared/domain/work/claim-filter.ts';
import { ownQueueName } from '../../src/shared/domain/work/quota.ts';
import type { ClaimedWork } from '../../src/shared/engine/work/hand-out-items.ts';
import type { WorkerQueue } from '../../src/shared/domain/work/work-item.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Usage } from '../../src/shared/nodes/run.ts';
import type { ForkedAt } from '../invariants/history.ts';
import { GIVEN_RULES } from './keys.ts';
import { labelsOfResult, labelsOfStart } from './labels.ts';
import type { Request } from './network.ts';
import { serveStartToEnd } from './requests-of-results.ts';

/** Requests of clients, as calls of their endpoints to the engine. */

export interface Client {
  readonly client: string;
  readonly tenantId: string;
}

/** A lease, as its holder knows it. */
export interface Held {
  readonly workItemId: string;
  readonly fence: number;
  readonly key: string;
}

export function askToStart(
  by: Client,
  of: {
    readonly key: string;
    readonly workflowId: string;
    readonly token: string;
    /** 0: the answer does not wait for the end. */
    readonly waitMs: number;
  },
): Request {
  const { workflowId, token, waitMs, ...named } = of;
  const labels = labelsOfStart(token);
  const startRules = GIVEN_RULES[workflowId];
  return {
    ...by,
    asks: { do: 'start', ...named, workflowId, token, labels, ...(waitMs > 0 && { waitMs }) },
    serve: async (engine) => {
      const start = {
        workflowId,
        workflowVersion: null,
        input: { token },
        labels,
        priority: 5,
        idempotencyKey: of.key,
        ...(startRules !== undefined && { startRules }),
      };
      if (waitMs > 0) return serveStartToEnd(engine, { caller: actor(by), start, waitMs });
      const { executionId } = await engine.startExecution({ ...actor(by), ...start });
      return { status: 201, body: { execution_id: executionId } };
    },
  };
}

export function askToCancel(by: Client, of: { readonly executionId: string }): Request {
  const { executionId } = of;
  return {
    ...by,
    asks: { do: 'cancel', executionId },
    serve: async (engine) => {
      await engine.cancelExecution({ ...actor(by), executionId });
      return { body: { execution_id: executionId, status: 'cancelled' } };
    },
  };
}

/** See `POST /executions/:id/pause`. */
export function askToPause(by: Client, of: { readonly executionId: string }): Request {
  const { executionId } = of;
  return {
    ...by,
    asks: { do: 'pause', executionId },
    serve: async (engine) => {
      const paused = await engine.pauseExecution({ ...actor(by), executionId, reason: null });
      return { body: { execution_id: executionId, status: paused.status } };
    },
  };
}

export function askToResume(by: Client, of: { readonly executionId: string }): Request {
  const { executionId } = of;
  return {
    ...by,
    asks: { do: 'resume', executionId },
    serve: async (engine) => {
      const resumed = await engine.resumeExecution({ ...actor(by), executionId });
      return { body: { execution_id: executionId, status: resumed.status } };
    },
  };
}

/** See `POST /executions/:id/build`. */
export function askToMove(
  by: Client,
  of: { readonly executionId: string; readonly buildId: string | null },
): Request {
  const { executionId } = of;
  return {
    ...by,
    asks: { do: 'move', ...of },
    serve: async (engine) => {
      const { moved } = await engine.moveExecution({ ...actor(by), ...of, nodeId: null });
      return { body: { execution_id: executionId, moved: moved.length } };
    },
  };
}

/** See `POST /executions/:id/retry`. */
export function askToRetry(
  by: Client,
  of: { readonly executionId: string; readonly statePatch: JsonObject | null },
): Request {
  const { executionId, statePatch } = of;
  return {
    ...by,
    asks: { do: 'retry', ...of },
    serve: async (engine) => {
      const asked = { ...actor(by), executionId, statePatch, revision: 'same' as const };
      const retried = await engine.retryExecution(asked);
      const body = { execution_id: retried.executionId, retried_from: retried.retriedFrom };
      return { status: 201, body };
    },
  };
}

/** See `POST /executions/:id/fork`. */
export function askToFork(
  by: Client,
  of: {
    readonly executionId: string;
    readonly at: ForkedAt;
    readonly statePatch: JsonObject | null;
    readonly key: string | null;
  },
): Request {
  const { key, ...asked } = of;
  return {
    ...by,
    asks: { do: 'fork', ...of },
    serve: async (engine) => {
      const forked = await engine.forkExecution({
        ...actor(by),
        ...asked,
        revision: 'same',
        idempotencyKey: key,
      });
      const body = {
        execution_id: forked.executionId,
        forked_from: forked.forkedFrom,
        sequence: forked.sequence,
        node_id: forked.nodeId,
      };
      return { status: 201, body };
    },
  };
}

/** See `GET /executions/:id/forks`. */
export function askForForks(by: Client, of: { readonly executionId: string }): Request {
  const { executionId } = of;
  return {
    ...by,
    asks: { do: 'list_forks', executionId },
    serve: async (engine) => {
      const asked = { ...actor(by), executionId, after: null, limit: FORKS_MAX };
      const { forks } = await engine.listForks(asked);
      return {
        body: {
          forks: forks.map((fork) => ({
            execution_id: fork.executionId,
            sequence: fork.sequence,
            node_id: fork.nodeId,
            actor_id: fork.actorId,
          })),
        },
      };
    },
  };
}

const FORKS_MAX = 100;

export function askToDecide(
  by: Client,
  of: {
    readonly executionId: string;
    readonly decision: 'approved' | 'rejected';
    readonly token: string;
    /** An approval of a durable function has no state patch. */
    readonly patchesState: boolean;
  },
): Request {
  const { executionId, decision, token, patchesState } = of;
  return {
    ...by,
    asks: { do: 'approve', executionId, decision, token },
    serve: async (engine) => {
      const { accepted } = await engine.decideApproval({
        ...actor(by),
        executionId,
        decision,
        nodeId: null,
        userId: by.client,
        comment: token,
        statePatch: patchesState ? { reviewed: token } : null,
      });
      return { body: { execution_id: executionId, accepted } };
    },
  };
}

export function askToDeliver(
  by: Client,
  of: { readonly executionId: string; readonly correlationKey: string; readonly token: string },
): Request {
  const { executionId, correlationKey, token } = of;
  return {
    ...by,
    asks: { do: 'event', executionId, correlationKey, token },
    serve: async (engine) => {
      const payload = { token };
      const asked = { ...actor(by), executionId, correlationKey, payload };
      const { accepted } = await engine.deliverExternalEvent(asked);
      return { body: { execution_id: executionId, accepted } };
    },
  };
}

/** Passes the claimed items to `onItems`; the client uses them only if the answer arrives. */
export function askForWork(
  by: Client,
  of: {
    readonly queues: readonly WorkerQueue[];
    /** Absent: all tools. */
    readonly tools?: readonly string[];
    readonly queueNames?: readonly string[];
    readonly buildId?: string | null;
    readonly maxItems: number;
    readonly waitMs: number;
    /** Absent: the claim has no id. */
    readonly claim?: { readonly id: string; readonly isRepeated: boolean };
    /** A request that the claim carries; absent: none. */
    readonly carried?: Request;
    readonly onItems: (items: readonly ClaimedWork[]) => void;
  },
): Request {
  const { queues, tools, queueNames, buildId, maxItems, waitMs, claim, carried } = of;
  const filter = {
    ...(tools && { tools }),
    ...(queueNames && { queueNames }),
    ...(buildId && { buildId }),
  };
  const workerId = by.client;
  return {
    ...by,
    asks: { do: 'claim', workerId, queues, ...filter, ...(claim && { claimId: claim.id }) },
    ...(carried && { carried }),
    serve: async (engine, carry) => {
      const items = await engine.claimWork({
        ...(carried && { carries: carry }),
        tenantId: by.tenantId as TenantId,
        workerId,
        queues,
        filter,
        maxItems,
        waitMs,
        ...(claim && { claimId: claim.id, isRepeated: claim.isRepeated }),
        signal: new AbortController().signal,
        host: 'simulation',
        version: '0.0.0',
      });
      of.onItems(items);
      return { body: { claimed: items.length > 0, work_items: items.map(shown) } };
    },
  };
}

function shown({ record, attempt, leaseFence, opened }: ClaimedWork): JsonObject {
  return {
    id: record.workItemId,
    execution_id: record.executionId,
    node_id: record.nodeId,
    attempt,
    lease_fence: leaseFence,
    idempotency_key: record.idempotencyKey,
    tool: record.tool,
    ...(opened !== null && {
      turn: opened.turn,
      mode: opened.mode,
      payload: { input: record.payload['input'] ?? null },
      journal: opened.journal.entries.map(({ entry }): JsonObject => entry),
    }),
    queue: ownQueueName(record.queueName ?? null) ?? DEFAULT_QUEUE,
  };
}

export function askToRenew(by: Client, { workItemId, fence }: Held): Request {
  return {
    ...by,
    asks: { do: 'heartbeat', workItemId, fence },
    serve: async (engine) => {
      const { expiresAt } = await engine.renewLease({
        tenantId: by.tenantId as TenantId,
        workItemId,
        workerId: by.client,
        leaseFence: fence,
      });
      return { body: { renewed: true, work_item_id: workItemId, lease_expires_at: expiresAt } };
    },
  };
}

export function askToComplete(
  by: Client,
  of: Held & { readonly output: JsonObject; readonly usage?: Usage | null },
): Request {
  const { workItemId, fence, key, output, usage = null } = of;
  const labels = labelsOfResult(fence);
  return {
    ...by,
    asks: { do: 'complete', workItemId, fence, key, output, ...(labels && { labels }) },
    serve: async (engine) => {
      await engine.completeWorkItem({
        ...settleRef(by, of),
        idempotencyKey: key,
        output,
        ...(labels && { labels }),
        statePatch: { [`settled_${fence}`]: by.client },
        durationMs: null,
        genAiModel: null,
        finishReason: null,
        usage,
      });
      return { body: { completed: true, work_item_id: workItemId } };
    },
  };
}

export function askToRelease(by: Client, { workItemId, fence }: Held): Request {
  return {
    ...by,
    asks: { do: 'release', workItemId, fence },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      await engine.releaseWorkItem({ tenantId, workItemId, leaseFence: fence });
      return { body: { released: true, work_item_id: workItemId } };
    },
  };
}

export function askToFail(by: Client, of: Held & { readonly usage?: Usage | null }): Request {
  const { workItemId, fence, usage = null } = of;
  return {
    ...by,
    asks: { do: 'fail', workItemId, fence },
    serve: async (engine) => {
      const failure = { error: 'it broke', errorClass: 'error', usage };
      await engine.failWorkItem({ ...settleRef(by, of), ...failure });
      return { body: { failed: true, work_item_id: workItemId } };
    },
  };
}

function settleRef(by: Client, { workItemId, fence: leaseFence }: Held) {
  const tenantId = by.tenantId as TenantId;
  return { tenantId, workItemId, leaseFence, executionId: null, nodeId: null };
}

export function askToRead(by: Client, { executionId }: { readonly executionId: string }): Request {
  return {
    ...by,
    asks: { do: 'read', executionId },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      const { row, state } = await engine.readExecution({ tenantId, executionId });
      const { data, stepsExecuted } = state;
      return {
        body: {
          execution_id: row.executionId,
          status: row.status,
          state: data,
          steps_executed: stepsExecuted,
        },
      };
    },
  };
}

export function askForEvents(
  by: Client,
  { executionId }: { readonly executionId: string },
): Request {
  return {
    ...by,
    asks: { do: 'read_events', executionId },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      const all = { tenantId, executionId, after: 0, limit: null };
      const { events } = await engine.readEvents(all);
      return {
        body: {
          events: events.map(({ sequence, kind, nodeId, payload, createdAt }) => ({
            sequence,
            kind,
            node_id: nodeId,
            payload: payload as JsonObject,
            created_at: createdAt,
          })),
        },
      };
    },
  };
}

export function askForState(
  by: Client,
  { executionId, sequence }: { readonly executionId: string; readonly sequence: number },
): Request {
  return {
    ...by,
    asks: { do: 'read_state', executionId, sequence },
    serve: async (engine) => {
      const of = { tenantId: by.tenantId as TenantId, executionId, at: { sequence } };
      const [{ state }, { keys }] = await Promise.all([
        engine.readState(of),
        engine.blameState(of),
      ]);
      return {
        body: { state, set_by: Object.fromEntries(keys.map((one) => [one.key, one.sequence])) },
      };
    },
  };
}

export function askForApprovals(by: Client): Request {
  return {
    ...by,
    asks: { do: 'list_approvals' },
    serve: async (engine) => {
      const asked = { tenantId: by.tenantId as TenantId, workflowId: null, nodeId: null };
      const { approvals } = await engine.listOpenApprovals({ ...asked, cursor: null, limit: 100 });
      return {
        body: {
          approvals: approvals.map(({ executionId, nodeId, visit, step }) => ({
            execution_id: executionId,
            node_id: nodeId,
            visit,
            step,
          })),
        },
      };
    },
  };
}

function actor({ client, tenantId }: Client): { tenantId: TenantId; actorId: string } {
  return { tenantId: tenantId as TenantId, actorId: `token:${client}` };
}
