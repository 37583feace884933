import type { Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import type { Client } from './requests.ts';
import { askForResult } from './requests-of-results.ts';
import type { PlannedStart, Scenario } from './scenario.ts';

/** How clients wait for the result of an execution. */
export interface PlannedWaits {
  /** How long the answer to the start waits; 0: not at all. */
  readonly startMs: number;
  /** How many others wait at a time. */
  readonly callers: number;
}

/** In some histories callers wait for results. */
export function withWaits(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(AWAITED)) return drawn;
  // Where retention removes executions, a start that was carried out may be answered 404.
  const startsWait = drawn.retention === null && dice.chance(0.4);
  const starts = drawn.starts.map((start) => ({
    ...start,
    waits: { startMs: startsWait ? dice.pick(START_WAITS_MS) : 0, callers: dice.between(1, 2) },
  }));
  return { ...drawn, starts };
}

const AWAITED = 0.3;
/** Shorter than the time after which a client gives up, because all else begins with its answer. */
const START_WAITS_MS = [0, 60, 300, 800];

type Waiter = Client & { readonly executionId: string };

export function waitersOf(
  { waits }: PlannedStart,
  { tenantId, executionId }: Omit<Waiter, 'client'>,
): readonly Waiter[] {
  const names = Array.from({ length: waits?.callers ?? 0 }, (_, index) => `waiter${index}`);
  return names.map((name) => ({ client: `${name} of ${executionId}`, tenantId, executionId }));
}

/** Waits until the execution has ended, with as many requests as it takes, and asks again later. */
export async function runWaiter(outside: Outside, waiter: Waiter, dice: Dice): Promise<void> {
  const { world, network, isCalm, isOver } = outside;
  const { executionId, ...by } = waiter;
  await world.pause(dice.between(0, 200));
  while (!isOver()) {
    const waitMs = isCalm() || dice.chance(0.3) ? LONG_MS : dice.pick(SHORT_MS);
    const answer = await network.send(askForResult(by, { executionId, waitMs }));
    if (answer?.status === 200 || answer?.status === 404) break;
    await world.pause(dice.between(5, 100));
  }
  await world.pause(dice.between(0, 100));
  await network.send(askForResult(by, { executionId, waitMs: 0 }));
}

/** Longer than it takes to find an end whose hint is lost. */
const LONG_MS = 5_000;
const SHORT_MS = [0, 100, 400];
