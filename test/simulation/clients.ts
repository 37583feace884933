import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { ClaimedWork } from '../../src/shared/engine/engine.ts';
import type { Answer } from '../invariants/history.ts';
import type { Dice } from './dice.ts';
import type { Network } from './network.ts';
import type { PlannedStart, PlannedWorker } from './scenario.ts';
import { EVENTS } from './workflows.ts';
import type { World } from './world.ts';

/** The outside: callers, workers, reviewers and readers, each as persistent as real ones are. */
export interface Outside {
  readonly world: World;
  readonly network: Network;
  /** No more mischief: everything is done at once and well. */
  readonly isCalm: () => boolean;
  readonly isOver: () => boolean;
}

/** Starts an execution, however often that takes, and does to it what was planned. */
export async function runCaller(
  outside: Outside,
  plan: PlannedStart,
  dice: Dice,
  onStarted: (execution: { readonly tenantId: string; readonly executionId: string }) => void,
): Promise<void> {
  const { world } = outside;
  await world.pause(plan.atMs);
  const executionId = await start(outside, plan, dice);
  if (executionId === null) return;
  onStarted({ tenantId: plan.tenantId, executionId });
  const of = { ...plan, executionId };
  if (plan.cancelAfterMs !== null) {
    void world.pause(plan.cancelAfterMs).then(() => cancel(outside, of, dice));
  }
  if (plan.workflowId in EVENTS) {
    void world.pause(plan.eventAfterMs).then(() => sendEvent(outside, of, dice));
  }
  if (plan.workflowId === 'approval') {
    for (let reviewer = 0; reviewer < plan.reviewers; reviewer += 1) {
      void review(outside, { ...of, reviewer }, dice.fork(`reviewer${reviewer}`));
    }
  }
}

type Started = PlannedStart & { readonly executionId: string };

async function start(outside: Outside, plan: PlannedStart, dice: Dice): Promise<string | null> {
  const { name, tenantId, workflowId } = plan;
  const answer = await insist(outside, dice, () =>
    outside.network.send({
      client: name,
      tenantId,
      asks: { do: 'start', key: name, workflowId, token: name },
      serve: async (engine) => {
        const { executionId } = await engine.startExecution({
          ...by(plan),
          workflowId,
          workflowVersion: null,
          input: { token: name },
          priority: 5,
          idempotencyKey: name,
        });
        return { status: 201, body: { execution_id: executionId } };
      },
    }),
  );
  const id = answer?.status === 201 ? answer.body['execution_id'] : null;
  return typeof id === 'string' ? id : null;
}

async function cancel(outside: Outside, of: Started, dice: Dice): Promise<void> {
  const { name, tenantId, executionId } = of;
  await insist(outside, dice, () =>
    outside.network.send({
      client: `${name}-canceller`,
      tenantId,
      asks: { do: 'cancel', executionId },
      serve: async (engine) => {
        await engine.cancelExecution({ ...by(of), executionId });
        return { body: { execution_id: executionId, status: 'cancelled' } };
      },
    }),
  );
}

async function sendEvent(outside: Outside, of: Started, dice: Dice): Promise<void> {
  const { name, tenantId, executionId, workflowId } = of;
  const correlationKey = EVENTS[workflowId] ?? '';
  const token = `${name}-event`;
  await insist(outside, dice, () =>
    outside.network.send({
      client: `${name}-sender`,
      tenantId,
      asks: { do: 'event', executionId, correlationKey, token },
      serve: async (engine) => {
        const { accepted } = await engine.deliverExternalEvent({
          ...by(of),
          executionId,
          correlationKey,
          payload: { token },
        });
        return { body: { execution_id: executionId, accepted } };
      },
    }),
  );
}

/** Asks again while there is nothing to decide yet. */
async function review(
  outside: Outside,
  of: Started & { readonly reviewer: number },
  dice: Dice,
): Promise<void> {
  const { name, tenantId, executionId, reviewer } = of;
  for (let round = 0; round < 30 && !outside.isOver(); round += 1) {
    await outside.world.pause(dice.between(20, 400));
    const decision = dice.chance(0.7) ? 'approved' : 'rejected';
    const token = `${name}-review${reviewer}.${round}`;
    const answer = await outside.network.send({
      client: `${name}-reviewer${reviewer}`,
      tenantId,
      asks: { do: 'approve', executionId, decision, token },
      serve: async (engine) => {
        const { accepted } = await engine.decideApproval({
          ...by(of),
          executionId,
          decision,
          nodeId: null,
          userId: `reviewer${reviewer}`,
          comment: token,
          statePatch: { reviewed: token },
        });
        return { body: { execution_id: executionId, accepted } };
      },
    });
    if (answer?.body['accepted'] === true) return;
  }
}

/** Claims and settles until all is over. */
export async function runWorker(outside: Outside, plan: PlannedWorker, dice: Dice): Promise<void> {
  const { world } = outside;
  let restMs = POLL_MS.min;
  while (!outside.isOver()) {
    const items = await claim(outside, plan);
    if (items.length === 0) await world.pause(restMs * (0.5 + dice.fraction()));
    restMs = items.length === 0 ? Math.min(restMs * 2, POLL_MS.max) : POLL_MS.min;
    await Promise.all(items.map((item) => work(outside, plan, item, dice)));
  }
}

const POLL_MS = { min: 40, max: 640 };

async function claim(outside: Outside, plan: PlannedWorker): Promise<readonly ClaimedWork[]> {
  const { name, tenantId, queues, maxItems, waitMs } = plan;
  let claimed: readonly ClaimedWork[] = [];
  const answer = await outside.network.send({
    client: name,
    tenantId,
    asks: { do: 'claim', workerId: name, queues },
    serve: async (engine) => {
      const items = await engine.claimWork({
        tenantId: tenantId as TenantId,
        workerId: name,
        queues,
        maxItems,
        waitMs,
        signal: new AbortController().signal,
        host: 'simulation',
        version: '0.0.0',
      });
      claimed = items;
      return { body: { claimed: items.length > 0, work_items: items.map(shown) } };
    },
  });
  return answer?.status === 200 ? claimed : [];
}

function shown({ record, attempt, leaseFence }: ClaimedWork): JsonObject {
  return {
    id: record.workItemId,
    execution_id: record.executionId,
    node_id: record.nodeId,
    attempt,
    lease_fence: leaseFence,
    idempotency_key: record.idempotencyKey,
  };
}

/** Well, or badly, or too late, or never. */
async function work(
  outside: Outside,
  plan: PlannedWorker,
  item: ClaimedWork,
  dice: Dice,
): Promise<void> {
  const { world } = outside;
  const leaseMs = item.record.heartbeatIntervalMs * 3;
  const manner = outside.isCalm() ? 0.5 : dice.fraction();
  if (manner < 0.06) return;
  if (manner < 0.12) await world.pause(leaseMs * (1 + dice.fraction() * 2));
  else if (manner < 0.25) {
    for (let beat = 0; beat < 4; beat += 1) {
      await world.pause(leaseMs / 3);
      const renewed = await heartbeat(outside, plan, item);
      if (renewed?.status === 409 && dice.chance(0.7)) return;
    }
  } else await world.pause(dice.fraction() * 30);
  if (manner > 0.85) await fail(outside, plan, item, dice);
  else await complete(outside, plan, item, dice);
}

function heartbeat(
  { network }: Outside,
  plan: PlannedWorker,
  { record, leaseFence }: ClaimedWork,
): Promise<Answer | null> {
  const { name, tenantId } = plan;
  const { workItemId } = record;
  return network.send({
    client: name,
    tenantId,
    asks: { do: 'heartbeat', workItemId, fence: leaseFence },
    serve: async (engine) => {
      await engine.renewLease({
        tenantId: tenantId as TenantId,
        workItemId,
        workerId: name,
        leaseFence,
      });
      return { body: { renewed: true, work_item_id: workItemId } };
    },
  });
}

async function complete(
  outside: Outside,
  { name, tenantId }: PlannedWorker,
  { record, leaseFence }: ClaimedWork,
  dice: Dice,
): Promise<void> {
  const { workItemId, idempotencyKey } = record;
  const output = { token: `fence ${leaseFence}` };
  await insist(outside, dice, () =>
    outside.network.send({
      client: name,
      tenantId,
      asks: { do: 'complete', workItemId, fence: leaseFence, key: idempotencyKey, output },
      serve: async (engine) => {
        await engine.completeWorkItem({
          ...settleRef(tenantId, record, leaseFence),
          idempotencyKey,
          output,
          statePatch: { [`by_${record.nodeId}`]: name },
          durationMs: null,
          genAiModel: null,
          finishReason: null,
          usage: null,
        });
        return { body: { completed: true, work_item_id: workItemId } };
      },
    }),
  );
}

async function fail(
  outside: Outside,
  { name, tenantId }: PlannedWorker,
  { record, leaseFence }: ClaimedWork,
  dice: Dice,
): Promise<void> {
  const { workItemId } = record;
  await insist(outside, dice, () =>
    outside.network.send({
      client: name,
      tenantId,
      asks: { do: 'fail', workItemId, fence: leaseFence },
      serve: async (engine) => {
        await engine.failWorkItem({
          ...settleRef(tenantId, record, leaseFence),
          error: 'it broke',
          errorClass: 'error',
          usage: null,
        });
        return { body: { failed: true, work_item_id: workItemId } };
      },
    }),
  );
}

function settleRef(tenantId: string, record: ClaimedWork['record'], leaseFence: number) {
  const { workItemId, executionId, nodeId } = record;
  return { tenantId: tenantId as TenantId, workItemId, leaseFence, executionId, nodeId };
}

/** Reads an execution and its events, once each. */
export async function readAll(
  { network }: Outside,
  of: { readonly client: string; readonly tenantId: string; readonly executionId: string },
): Promise<void> {
  const { client, tenantId, executionId } = of;
  const ref = { tenantId: tenantId as TenantId, executionId };
  await network.send({
    client,
    tenantId,
    asks: { do: 'read', executionId },
    serve: async (engine) => {
      const { row, state } = await engine.readExecution(ref);
      const { status } = row;
      return {
        body: {
          execution_id: row.executionId,
          status,
          state: state.data,
          steps_executed: state.stepsExecuted,
        },
      };
    },
  });
  await network.send({
    client,
    tenantId,
    asks: { do: 'read_events', executionId },
    serve: async (engine) => {
      const { events } = await engine.readEvents({ ...ref, after: 0, limit: null });
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
  });
}

/** Asks until the answer says what became of it. */
async function insist(
  { world, isOver }: Outside,
  dice: Dice,
  send: () => Promise<Answer | null>,
): Promise<Answer | null> {
  for (;;) {
    const answer = await send();
    if (isOver()) return answer;
    if (answer !== null && answer.status !== 503 && answer.status !== 429) return answer;
    await world.pause(dice.between(5, 100));
  }
}

function by({ name, tenantId }: PlannedStart): { tenantId: TenantId; actorId: string } {
  return { tenantId: tenantId as TenantId, actorId: `token:${name}` };
}
