import type { ClaimedWork } from '../../src/shared/engine/engine.ts';
import type { Answer } from '../invariants/history.ts';
import type { Dice } from './dice.ts';
import type { Network, Request } from './network.ts';
import {
  askForEvents,
  askForWork,
  askToCancel,
  askToComplete,
  askToDecide,
  askToDeliver,
  askToFail,
  askToPause,
  askToRead,
  askToRenew,
  askToResume,
  askToStart,
  type Held,
} from './requests.ts';
import { askToCompleteUnfenced, askToFailUnfenced } from './requests-of-operators.ts';
import type { PlannedStart, PlannedWorker } from './scenario.ts';
import { EVENTS, TENANTS } from './workflows.ts';
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
  const { name, tenantId, workflowId, atMs, cancelAfterMs, eventAfterMs, paused } = plan;
  const by = (role: string) => ({ client: `${name}-${role}`, tenantId });
  await world.pause(atMs);
  const start = askToStart(by('caller'), { key: name, workflowId, token: name });
  const answer = await insist(outside, dice, start);
  const executionId = answer?.status === 201 ? answer.body['execution_id'] : null;
  if (typeof executionId !== 'string') return;
  onStarted({ tenantId, executionId });

  const insistLater = async (ms: number, request: Request): Promise<void> => {
    await world.pause(ms);
    await insist(outside, dice, request);
  };
  if (cancelAfterMs !== null) {
    void insistLater(cancelAfterMs, askToCancel(by('canceller'), { executionId }));
  }
  const held =
    paused && holdUp(outside, dice.fork('pauses'), { ...by('holder'), executionId, ...paused });
  const correlationKey = EVENTS[workflowId];
  if (correlationKey !== undefined) {
    const token = `${name}-event`;
    const event = askToDeliver(by('sender'), { executionId, correlationKey, token });
    void insistLater(eventAfterMs, event);
  }
  const reviewers = workflowId === 'approval' ? plan.reviewers : 0;
  for (let reviewer = 0; reviewer < reviewers; reviewer += 1) {
    const own = by(`reviewer${reviewer}`);
    void review(outside, { ...own, executionId }, dice.fork(own.client));
  }
  await held;
}

/** Pauses an execution for a while, now and again, and lets it go on in the end. */
async function holdUp(
  outside: Outside,
  dice: Dice,
  of: {
    readonly client: string;
    readonly tenantId: string;
    readonly executionId: string;
    readonly afterMs: number;
    readonly forMs: number;
    readonly times: number;
  },
): Promise<void> {
  const { world } = outside;
  const { executionId, afterMs, forMs, times, ...by } = of;
  for (let time = 0; time < times && !outside.isCalm(); time += 1) {
    await world.pause(afterMs);
    await insist(outside, dice, askToPause(by, { executionId }));
    await world.pause(forMs);
    await insist(outside, dice, askToResume(by, { executionId }));
  }
  // A request that was doubled may have paused it again.
  while (!outside.isCalm()) await world.pause(100);
  await world.pause(1_000);
  await insist(outside, dice, askToResume(by, { executionId }));
}

/** Asks again while there is nothing to decide yet. */
async function review(
  { world, network, isOver }: Outside,
  of: { readonly client: string; readonly tenantId: string; readonly executionId: string },
  dice: Dice,
): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX && !isOver(); round += 1) {
    await world.pause(dice.between(20, 400));
    const decision = dice.chance(0.7) ? 'approved' : 'rejected';
    const { executionId, ...by } = of;
    const token = `${of.client}.${round}`;
    const answer = await network.send(askToDecide(by, { executionId, decision, token }));
    if (answer?.body['accepted'] === true) return;
  }
}

const ROUNDS_MAX = 30;

/** Claims and settles until all is over. */
export async function runWorker(outside: Outside, plan: PlannedWorker, dice: Dice): Promise<void> {
  const { world, network, isOver } = outside;
  const by = { client: plan.name, tenantId: plan.tenantId };
  let restMs = POLL_MS.min;
  while (!isOver()) {
    let claimed: readonly ClaimedWork[] = [];
    const onItems = (items: readonly ClaimedWork[]): void => void (claimed = items);
    const answer = await network.send(askForWork(by, { ...plan, onItems }));
    const items = answer?.status === 200 ? claimed : [];
    restMs = items.length === 0 ? Math.min(restMs * 2, POLL_MS.max) : POLL_MS.min;
    if (items.length === 0) await world.pause(restMs * (0.5 + dice.fraction()));
    await Promise.all(items.map((item) => work(outside, plan, item, dice)));
  }
}

const POLL_MS = { min: 40, max: 640 };

/** Well, or badly, or too late, or never. */
async function work(
  outside: Outside,
  plan: PlannedWorker,
  { record, leaseFence }: ClaimedWork,
  dice: Dice,
): Promise<void> {
  const { world, network } = outside;
  const by = { client: plan.name, tenantId: plan.tenantId };
  const { workItemId, idempotencyKey: key, heartbeatIntervalMs } = record;
  const held: Held = { workItemId, key, fence: leaseFence };
  const leaseMs = heartbeatIntervalMs * 3;
  const isCareful = outside.isCalm() || !dice.chance(plan.mischief);
  const manner = isCareful ? 'well' : dice.pick(plan.isOld ? OLD_MISCHIEF : MISCHIEF);
  if (manner === 'never') return;
  if (manner === 'too late') {
    await world.pause(leaseMs * (0.9 + dice.fraction() * 2));
    if (dice.chance(0.5)) await network.send(askToRenew(by, held));
  } else if (manner === 'slowly') {
    for (let beat = 0; beat < 4; beat += 1) {
      await world.pause(heartbeatIntervalMs);
      const renewed = await network.send(askToRenew(by, held));
      // Not everybody listens.
      if (renewed?.status === 409 && dice.chance(0.7)) return;
    }
  } else await world.pause(dice.fraction() * 30);
  const output = { token: `fence ${leaseFence}` };
  if (manner === 'with a key of its own') {
    const end = askToComplete(by, { ...held, key: key.replaceAll(/[0-9]/g, 'f'), output });
    const answer = await network.send(end);
    if (answer?.status === 200) return;
  }
  if (manner === 'after a stranger') {
    const tenantId = TENANTS.find((name) => name !== plan.tenantId) ?? '';
    await network.send(askToComplete({ ...by, tenantId }, { ...held, output }));
  }
  if (manner === 'without a fence') {
    const of = {
      workItemId,
      key: dice.chance(0.7) ? key : null,
      output: { token: `none of ${leaseFence}` },
    };
    const unfenced = dice.chance(0.7) ? askToCompleteUnfenced(by, of) : askToFailUnfenced(by, of);
    await insist(outside, dice, unfenced);
    if (dice.chance(0.7)) return;
  }
  const end = manner === 'badly' ? askToFail(by, held) : askToComplete(by, { ...held, output });
  await insist(outside, dice, end);
}

const MISCHIEF = [
  'never',
  'too late',
  'too late',
  'slowly',
  'slowly',
  'badly',
  'with a key of its own',
  'after a stranger',
] as const;

const OLD_MISCHIEF = [...MISCHIEF, 'without a fence', 'without a fence'] as const;

/** Reads an execution and its events, once each. */
export async function readAll(
  { network }: Outside,
  of: { readonly client: string; readonly tenantId: string; readonly executionId: string },
): Promise<void> {
  const { executionId, ...by } = of;
  await network.send(askToRead(by, { executionId }));
  await network.send(askForEvents(by, { executionId }));
}

/** Asks until the answer says what became of it. */
export async function insist(
  { world, network, isOver }: Outside,
  dice: Dice,
  request: Request,
): Promise<Answer | null> {
  for (;;) {
    const answer = await network.send(request);
    if (isOver()) return answer;
    if (answer !== null && answer.status !== 503 && answer.status !== 429) return answer;
    await world.pause(dice.between(5, 100));
  }
}
