import type { ClaimedWork } from '../../src/shared/engine/work/hand-out-items.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Answer } from '../invariants/history.ts';
import type { Dice } from './dice.ts';
import type { Network, Request } from './network.ts';
import {
  askForApprovals,
  askForEvents,
  askForState,
  askForWork,
  askToComplete,
  askToFail,
  askToRelease,
  askToRead,
  askToRenew,
  type Held,
} from './requests.ts';
import { askToCompleteUnfenced, askToFailUnfenced } from './requests-of-operators.ts';
import type { PlannedWorker } from './scenario.ts';
import { drawUsage } from './usage.ts';
import { TENANTS } from './workflows.ts';
import type { World } from './world.ts';

/** The world outside svc: callers, workers, reviewers and readers, as persistent as real ones. */
export interface Outside {
  readonly world: World;
  readonly network: Network;
  /** Faults have ended: clients act promptly and correctly. */
  readonly isCalm: () => boolean;
  readonly isOver: () => boolean;
  /** The execution in the folder of archives; null: no complete archive has it. */
  readonly archived: (of: {
    readonly tenantId: string;
    readonly executionId: string;
  }) => JsonObject | null;
}

/**
 * No duplicate of a request arrives later than this after the faults, because no process is frozen
 * longer.
 */
export const LAST_ARRIVAL_MS = 6_000;

/** Claims and settles items until the history is over. */
export async function runWorker(outside: Outside, plan: PlannedWorker, dice: Dice): Promise<void> {
  const { world, network, isOver } = outside;
  const by = { client: plan.name, tenantId: plan.tenantId };
  let restMs = POLL_MS.min;
  while (!isOver()) {
    let claimed: readonly ClaimedWork[] = [];
    const onItems = (items: readonly ClaimedWork[]): void => void (claimed = items);
    const filter = outside.isCalm() || !dice.chance(0.3) ? CALM_FILTER : dice.pick(FILTERS);
    const answer = await network.send(askForWork(by, { ...plan, ...filter, onItems }));
    const items = answer?.status === 200 ? claimed : [];
    restMs = items.length === 0 ? Math.min(restMs * 2, POLL_MS.max) : POLL_MS.min;
    if (items.length === 0) await world.pause(restMs * (0.5 + dice.fraction()));
    await Promise.all(items.map((item) => workOn(outside, plan, item, dice)));
  }
}

/** Works on the item, and on the items that its settle claims. */
async function workOn(
  outside: Outside,
  plan: PlannedWorker,
  item: ClaimedWork,
  dice: Dice,
): Promise<void> {
  let items: readonly ClaimedWork[] = [item];
  while (items.length > 0 && !outside.isOver()) {
    const next = await Promise.all(items.map((one) => work(outside, plan, one, dice)));
    items = next.flat();
  }
}

/**
 * Items of every tool and queue in the workflows; after the faults workers claim only with this
 * filter.
 */
const CALM_FILTER = { queueNames: ['default', 'big'] };
export const FILTERS = [
  {},
  { tools: ['tools.*'] },
  { tools: ['Tools.*', 'tools.first'], queueNames: ['big'] },
  { tools: ['*e*'], queueNames: ['default', 'big', 'small'] },
];

const POLL_MS = { min: 40, max: 640 };

const NONE: readonly ClaimedWork[] = [];

/**
 * Works on the item correctly, wrongly, too late, or not at all. Returns the items that its settle
 * claimed.
 */
async function work(
  outside: Outside,
  plan: PlannedWorker,
  { record, attempt, leaseFence }: ClaimedWork,
  dice: Dice,
): Promise<readonly ClaimedWork[]> {
  const { world, network } = outside;
  const by = { client: plan.name, tenantId: plan.tenantId };
  const { workItemId, idempotencyKey: key, heartbeatIntervalMs } = record;
  const held: Held = { workItemId, key, fence: leaseFence };
  const leaseMs = heartbeatIntervalMs * 3;
  const isCareful = outside.isCalm() || !dice.chance(plan.mischief);
  const manner = isCareful ? 'well' : dice.pick(plan.isOld ? OLD_MISCHIEF : MISCHIEF);
  if (manner === 'never') return NONE;
  if (manner === 'not mine') {
    // Half of the workers notice only after the lease has ended.
    if (dice.chance(0.5)) await world.pause(leaseMs * (1.2 + dice.fraction() * 3));
    await insist(outside, dice, askToRelease(by, held));
    // Some workers continue with an item that they released.
    if (dice.chance(0.7)) return NONE;
  }
  if (manner === 'too late') {
    await world.pause(leaseMs * (0.9 + dice.fraction() * 2));
    if (dice.chance(0.5)) await network.send(askToRenew(by, held));
  } else if (manner === 'slowly') {
    for (let beat = 0; beat < 4; beat += 1) {
      await world.pause(heartbeatIntervalMs);
      const renewed = await network.send(askToRenew(by, held));
      // Some workers ignore the refusal.
      if (renewed?.status === 409 && dice.chance(0.7)) return NONE;
    }
  } else await world.pause(dice.fraction() * 30);
  const output = { token: `fence ${leaseFence}` };
  if (manner === 'with a key of its own') {
    const end = askToComplete(by, { ...held, key: key.replaceAll(/[0-9]/g, 'f'), output });
    const answer = await network.send(end);
    if (answer?.status === 200) return NONE;
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
    if (dice.chance(0.7)) return NONE;
  }
  const usage = drawUsage(dice.fork(`usage of ${key} ${attempt}`), record.nodeId);
  const end =
    manner === 'badly'
      ? askToFail(by, { ...held, usage })
      : askToComplete(by, { ...held, output, usage });
  if (!plan.carriesEnds) {
    await insist(outside, dice, end);
    return NONE;
  }
  let claimed: readonly ClaimedWork[] = [];
  const onItems = (items: readonly ClaimedWork[]): void => void (claimed = items);
  const { tenantId: _, ...claim } = plan;
  const together = { ...claim, ...CALM_FILTER, maxItems: 1, waitMs: 0, carried: end, onItems };
  const answer = await network.send(askForWork(by, together));
  if (answer?.status === 200) return claimed;
  await insist(outside, dice, end);
  return NONE;
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
  'not mine',
] as const;

const OLD_MISCHIEF = [...MISCHIEF, 'without a fence', 'without a fence'] as const;

/** Reads an execution and its events once. */
export async function readAll(
  { network }: Outside,
  of: { readonly client: string; readonly tenantId: string; readonly executionId: string },
): Promise<void> {
  const { executionId, ...by } = of;
  await network.send(askToRead(by, { executionId }));
  await network.send(askForApprovals(by));
  const answer = await network.send(askForEvents(by, { executionId }));
  const events = answer?.body['events'];
  if (!Array.isArray(events)) return;
  const sequence = Math.ceil(events.length / 2);
  await network.send(askForState(by, { executionId, sequence }));
}

/** Repeats the request until an answer shows its outcome. */
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
