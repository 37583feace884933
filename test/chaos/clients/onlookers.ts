import type { Dice } from '../../simulation/dice.ts';
import {
  askForEvents,
  askToCancel,
  askToComplete,
  askToDecide,
  askToDeliver,
  askToExplain,
  askToList,
  askToMint,
  askToRead,
} from './requests.ts';
import type { Request } from './ask-service.ts';
import { clientOf, type KnownExecution, type Stage, type TenantOf } from './stage.ts';
import { startOf } from './callers.ts';

/** Repeatedly reads executions that other clients have started, at any of the APIs. */
export async function runReader(stage: Stage, name: string): Promise<void> {
  const dice = stage.dice.fork(name);
  while (!stage.isOver()) {
    await stage.pause(dice.between(20, 120));
    const found = pick(stage, dice);
    if (found === null) continue;
    const { tenant, executionId } = found;
    const ask = dice.pick([askToRead, askForEvents, askForEvents, askToExplain]);
    await stage.service.ask(clientOf(tenant, name), ask(executionId));
  }
}

/** Follows executions, the newest first, from their events so far to their last one. */
export async function runFollower(stage: Stage, name: string): Promise<void> {
  const dice = stage.dice.fork(name);
  while (!stage.isOver()) {
    await stage.pause(dice.between(20, 500));
    const known = stage.known.executions.slice(-NEWEST);
    const found = pick({ ...stage, known: { ...stage.known, executions: known } }, dice);
    if (found !== null) await stage.service.follow(clientOf(found.tenant, name), found.executionId);
  }
}

/** Some of so many are just being started. */
const NEWEST = 5;

/** Requests objects of other tenants. */
export async function runStranger(stage: Stage, name: string): Promise<void> {
  const dice = stage.dice.fork(name);
  for (let round = 0; !stage.isOver(); round += 1) {
    await stage.pause(dice.between(100, 600));
    const found = pick(stage, dice);
    const stranger = dice.pick(stage.tenants);
    if (found === null || stranger.tenantId === found.tenantId) continue;
    const item = stage.known.items.findLast(({ tenantId }) => tenantId !== stranger.tenantId);
    const { executionId } = found;
    const token = `${stranger.tenantId}~${name}-${round}`;
    const requests: readonly Request[] = [
      askToRead(executionId),
      askForEvents(executionId),
      askToExplain(executionId),
      askToCancel(executionId),
      askToDecide({ executionId, decision: 'approved', token }),
      askToDeliver({ executionId, correlationKey: 'paid', token }),
      ...(item === undefined
        ? []
        : [
            askToComplete({
              workItemId: item.workItemId,
              fence: round + 1,
              key: '0'.repeat(64),
              output: { token },
            }),
          ]),
    ];
    await stage.service.ask(clientOf(stranger, name), dice.pick(requests));
  }
}

/** Concurrent clients start more than the tenant's limit, and count the executions. */
export async function runLimitRacers(stage: Stage, tenant: TenantOf): Promise<void> {
  const dice = stage.dice.fork(`${tenant.tenantId} racers`);
  const by = clientOf(tenant, 'racer');
  for (let round = 0; !stage.isOver(); round += 1) {
    await Promise.all(
      Array.from({ length: tenant.executionsMax ?? 0 }, (_, racer) => {
        const token = `${tenant.tenantId}~racer${racer}-${round}`;
        return stage.service.ask(by, startOf(stage, { workflowId: 'timers', token }));
      }),
    );
    await stage.service.ask(by, askToList());
    await stage.pause(dice.between(300, 1_500));
    await stage.service.ask(by, askToList());
  }
}

/** Makes changes without an event: each accepted one is an entry of the audit log. */
export async function runOperator(
  stage: Stage,
  operator: TenantOf,
  onMinted: (token: string) => void,
): Promise<void> {
  for (let round = 0; !stage.isOver(); round += 1) {
    const answer = await stage.service.ask(
      clientOf(operator, 'operator'),
      askToMint(`minted-${round}`),
    );
    const token = answer?.body['token'];
    if (typeof token === 'string') onMinted(token);
    await stage.pause(1_000);
  }
}

function pick(
  { known, tenants }: Stage,
  dice: Dice,
): (KnownExecution & { readonly tenant: TenantOf }) | null {
  if (known.executions.length === 0) return null;
  const found = dice.pick(known.executions);
  const tenant = tenants.find(({ tenantId }) => tenantId === found.tenantId);
  return tenant === undefined ? null : { ...found, tenant };
}
