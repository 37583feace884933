import { insist, LAST_ARRIVAL_MS, type Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import {
  askForDeadLetters,
  askToPause,
  askToPauseWorkflow,
  askToRequeue,
  askToResumeWorkflow,
  askToRetain,
  askToSchedule,
  askToSetStatus,
} from './requests-of-operators.ts';
import type {
  PlannedRetention,
  PlannedSchedule,
  PlannedSuspension,
  PlannedSwitch,
} from './scenario.ts';

/** Requeues the dead letters of a tenant while their executions wait for them. */
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

/** Suspends a tenant for a while. */
export async function runAdministrator(
  outside: Outside,
  { tenantId, atMs, forMs }: PlannedSuspension,
  dice: Dice,
): Promise<void> {
  const by = { client: `${tenantId}-administrator`, tenantId };
  await outside.world.pause(atMs);
  await insist(outside, dice, askToSetStatus(by, { status: 'suspended' }));
  await outside.world.pause(forMs);
  await insist(outside, dice, askToSetStatus(by, { status: 'active' }));
  // A duplicate of the request may have suspended it again.
  while (!outside.isCalm()) await outside.world.pause(100);
  await outside.world.pause(LAST_ARRIVAL_MS);
  await insist(outside, dice, askToSetStatus(by, { status: 'active' }));
}

/** Pauses a workflow repeatedly, and finally resumes it. */
export async function runSwitch(
  outside: Outside,
  { name, tenantId, workflowId, afterMs, forMs, times }: PlannedSwitch,
  dice: Dice,
): Promise<void> {
  const { world } = outside;
  const by = { client: name, tenantId };
  for (let time = 0; time < times && !outside.isCalm(); time += 1) {
    await world.pause(afterMs);
    await insist(outside, dice, askToPauseWorkflow(by, { workflowId }));
    await world.pause(forMs);
    await insist(outside, dice, askToResumeWorkflow(by, { workflowId }));
  }
  // A duplicate of the request may have paused it again.
  while (!outside.isCalm()) await world.pause(100);
  await world.pause(LAST_ARRIVAL_MS);
  await insist(outside, dice, askToResumeWorkflow(by, { workflowId }));
}

/** Creates a schedule that fires every second, and pauses it when the faults end. */
export async function runPlanner(
  outside: Outside,
  plan: PlannedSchedule,
  dice: Dice,
): Promise<void> {
  const { name, tenantId } = plan;
  const by = { client: `${name}-planner`, tenantId };
  await insist(outside, dice, askToSchedule(by, plan));
  while (!outside.isCalm()) await outside.world.pause(100);
  await insist(outside, dice, askToPause(by, { name }));
  // A duplicate of the first request may have started the schedule again.
  await outside.world.pause(LAST_ARRIVAL_MS);
  await insist(outside, dice, askToPause(by, { name }));
}

/** Runs retention repeatedly until the faults end. */
export async function runCleaner(
  { world, network, isCalm }: Outside,
  { everyMs, batchMax }: PlannedRetention,
  dice: Dice,
): Promise<void> {
  while (!isCalm()) {
    await world.pause(everyMs * (0.5 + dice.fraction()));
    await network.send(askToRetain(CLEANER, { batchMax }));
  }
}

/** Two operators run retention, some times. */
export async function removeTogether(
  { network }: Outside,
  { batchMax }: PlannedRetention,
): Promise<void> {
  for (let time = 0; time < TIMES_TOGETHER; time += 1) {
    await Promise.all(
      ['cleaner', 'other cleaner'].map((client) =>
        network.send(askToRetain({ ...CLEANER, client }, { batchMax })),
      ),
    );
  }
}

const TIMES_TOGETHER = 2;

/** After the faults, runs retention until it finds nothing more. */
export async function removeDue(outside: Outside, dice: Dice): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    const answer = await insist(outside, dice, askToRetain(CLEANER, { batchMax: 10 }));
    quiet = answer?.body['executions'] === 0 ? quiet + 1 : 0;
  }
}

const CLEANER = { client: 'cleaner', tenantId: 'default' };
