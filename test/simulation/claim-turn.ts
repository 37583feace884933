import type { ClaimedWork } from '../../src/shared/engine/work/hand-out-items.ts';
import type { Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { askForWork, type Client } from './requests.ts';
import type { PlannedFunctionWorker } from './scenario.ts';

const REST_MS = 40;

/** Repeats the claim under its id if no answer comes, so that a lost answer loses no item. */
export async function claimTurn(
  { network, world }: Outside,
  { by, plan }: { readonly by: Client; readonly plan: PlannedFunctionWorker },
  dice: Dice,
): Promise<readonly ClaimedWork[]> {
  const id = claimIdOf(dice);
  const persistence = dice.between(1, 4);
  for (let asked = 0; asked < persistence; asked += 1) {
    let claimed: readonly ClaimedWork[] = [];
    const onItems = (items: readonly ClaimedWork[]): void => void (claimed = items);
    const answer = await network.send(
      askForWork(by, {
        queues: ['function'],
        buildId: plan.buildId,
        maxItems: 1,
        waitMs: plan.waitMs,
        claim: { id, isRepeated: asked > 0 },
        onItems,
      }),
    );
    if (answer?.status === 200) return claimed;
    await world.pause(REST_MS * (0.5 + dice.fraction()));
  }
  return [];
}

function claimIdOf(dice: Dice): string {
  const hex = Buffer.from(dice.bytes(16)).toString('hex');
  return [8, 12, 16, 20, 32]
    .map((end, part, ends) => hex.slice(ends[part - 1] ?? 0, end))
    .join('-');
}
