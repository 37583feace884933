import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import type { ClaimAnswer, WorkItem } from '../../support/wire.ts';
import type { Dice } from '../../simulation/dice.ts';
import { askForWork, askToComplete, askToFail, askToRenew, type Held } from './requests.ts';
import type { Client } from './ask-service.ts';
import { clientOf, learn, type Stage, type TenantOf } from './stage.ts';
import { haveEffect } from './worker-handlers.ts';

export interface WorkerPlan {
  readonly name: string;
  readonly queues: readonly ('python_tool' | 'java_tool')[];
  /** The share of its work that it does badly. */
  readonly mischief: number;
}

/** A worker that implements the protocol itself, and breaks it. */
export async function runWorker(stage: Stage, tenant: TenantOf, plan: WorkerPlan): Promise<void> {
  const dice = stage.dice.fork(`${tenant.tenantId} ${plan.name}`);
  const by = clientOf(tenant, plan.name);
  const inHand: Promise<void>[] = [];
  while (!stage.isOver()) {
    const items = await claimItems(stage, by, plan.queues);
    if (items === null) await stage.pause(dice.between(100, 500));
    else await stage.pause(dice.between(0, 30));
    for (const item of items ?? []) {
      learn(stage.known.items, { tenantId: tenant.tenantId, workItemId: item.id });
      const manner = dice.chance(plan.mischief) ? dice.pick(MISCHIEF) : 'well';
      inHand.push(work(stage, by, { item, manner, dice: dice.fork(item.id) }));
    }
  }
  await Promise.all(inHand);
}

const ITEMS_MAX = 3;

/** Null: no answer came, or an unexpected one. */
export async function claimItems(
  { service }: Stage,
  by: Client,
  queues: readonly string[],
): Promise<readonly WorkItem[] | null> {
  const request = askForWork({ workerId: by.client, queues, itemsMax: ITEMS_MAX });
  const answer = await service.ask(by, request);
  if (answer?.status !== 200) return null;
  const { work_items: items = [] } = answer.body as unknown as ClaimAnswer;
  return items;
}

const MISCHIEF = [
  'never',
  'too late',
  'too late',
  'slowly',
  'badly',
  'twice at once',
  'twice at once',
  'again afterwards',
  'with a key of its own',
  'under an older fence',
] as const;

type Manner = 'well' | (typeof MISCHIEF)[number];

/** A worker that has done the work always reports it, even after the run is over. */
export async function work(
  stage: Stage,
  by: Client,
  { item, manner, dice }: { item: WorkItem; manner: Manner; dice: Dice },
): Promise<void> {
  const { service } = stage;
  const held: Held = {
    workItemId: item.id,
    fence: item.lease_fence,
    key: item.idempotency_key,
  };
  const leaseMs = item.heartbeat_interval_ms * 3;
  if (manner === 'never') return;
  if (manner === 'badly' || breaksDown(item))
    return void (await service.insist(by, askToFail(held)));
  const output = await outputOf(item);
  if (output === null) return void (await service.insist(by, askToFail(held)));
  const complete = askToComplete({ ...held, output });
  switch (manner) {
    case 'too late':
      await stage.pause(leaseMs * (0.8 + dice.fraction()));
      await service.ask(by, askToRenew(by.client, held));
      break;
    case 'slowly':
      for (let beat = 0; beat < 3; beat += 1) {
        await stage.pause(item.heartbeat_interval_ms);
        await service.ask(by, askToRenew(by.client, held));
      }
      break;
    case 'twice at once':
      await Promise.all([service.insist(by, complete), service.insist(by, complete)]);
      return;
    case 'with a key of its own': {
      const key = held.key.replaceAll(/[0-9]/g, 'f');
      await service.ask(by, askToComplete({ ...held, key, output }));
      break;
    }
    case 'under an older fence': {
      const older = { ...held, fence: held.fence - 1 };
      const token = `${item.id}:${older.fence}`;
      await service.ask(by, askToComplete({ ...older, output: { ...output, token } }));
      await service.ask(by, askToRenew(by.client, older));
      break;
    }
    default:
  }
  await service.insist(by, complete);
  if (manner !== 'again afterwards') return;
  await stage.pause(dice.between(0, 4_000));
  await service.ask(by, complete);
  await service.ask(by, askToFail(held));
}

function breaksDown({ payload, attempt }: WorkItem): boolean {
  return payload['function'] === 'flaky' && attempt < 2;
}

/** The outside receipt, and a token of this lease alone; null: the effect failed. */
async function outputOf(item: WorkItem): Promise<JsonObject | null> {
  const { input } = item.payload;
  const { idempotency_key: idempotencyKey, attempt } = item;
  try {
    const effect = await haveEffect(isJsonObject(input) ? input : {}, { idempotencyKey, attempt });
    return { ...effect, token: `${item.id}:${item.lease_fence}` };
  } catch {
    return null;
  }
}
