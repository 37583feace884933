import type { Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { askForDeadLetters, askToRequeue } from './requests-of-operators.ts';

/** Looks after the dead letters of a tenant: puts back what somebody still waits for. */
export async function runOperator(
  { world, network, isOver }: Outside,
  { tenantId }: { readonly tenantId: string },
  dice: Dice,
): Promise<void> {
  const client = `${tenantId}-operator`;
  const hopeless = new Set<string>();
  for (let visit = 0; !isOver(); visit += 1) {
    await world.pause(dice.between(50, 300));
    let ids: readonly string[] = [];
    const onItems = (found: readonly string[]): void => void (ids = found);
    const listed = await network.send(askForDeadLetters({ client, tenantId }, { onItems }));
    if (listed?.status !== 200) continue;
    for (const workItemId of ids.filter((id) => !hopeless.has(id))) {
      const by = { client: `${client}.${visit}`, tenantId };
      const answer = await network.send(askToRequeue(by, { workItemId }));
      const { error } = answer?.body ?? {};
      if (answer?.status === 409 && /no longer waits|has ended/.test(JSON.stringify(error))) {
        hopeless.add(workItemId);
      }
    }
  }
}
