import { keyInPlace, rateKeyInLine } from '../../workflow/flow/flow-key.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { Blocker } from './blocker.ts';
import { AHEAD_EXPLAINED_MAX, type FlowFacts } from './facts.ts';
import { blockerOf } from './scene.ts';

/** It begins when it has its place and its token, even if events are recorded before. */
export function explainFlowWait(
  wait: FlowFacts,
  {
    rate,
    deadline,
  }: {
    readonly rate: Plan['rate'];
    /** When it fails unless it has begun; null: it has none. */
    readonly deadline: string | null;
  },
): Blocker {
  if (wait.batch !== null) return explainBatch(wait, wait.batch);
  if (wait.dueAt !== null) return explainDebounce(wait, wait.dueAt);
  const { placesMax, isPaced, since, ahead, holders } = wait;
  const needs = [
    ...(placesMax === null ? [] : [`a place (concurrency limit ${placesMax}${keyOf(wait)})`]),
    ...(isPaced ? [`its turn (${describeRate(rate)}${rateKeyOf(wait)})`] : []),
  ];
  const message =
    placesMax !== null && !isPaced
      ? `waits for a place${untilText(deadline)}: ${numberInLine(ahead)} in the queue ${queueOf(wait)}, concurrency limit ${placesMax} reached`
      : `waits for ${needs.join(' and ')}${untilText(deadline)}: ${numberInLine(ahead)} in the queue`;
  const unblockedBy = [
    ...(placesMax === null
      ? []
      : [`the end of an execution that has a place ${queueOf(wait)}${nameSome(holders)}`]),
    ...(isPaced ? ['the clock'] : []),
  ];
  return blockerOf(
    { nodeId: null, visit: null },
    {
      code: 'waiting_for_place',
      message,
      since,
      until: deadline,
      unblockedBy: unblockedBy.join(', and '),
      details: { position: ahead + 1, waitsFor: holders },
    },
  );
}

export function untilText(deadline: string | null): string {
  return deadline === null ? '' : ', until its start deadline';
}

/** The place in a line, which is counted to a bound. */
export function numberInLine(ahead: number): string {
  return `number ${ahead + 1}${ahead < AHEAD_EXPLAINED_MAX ? '' : ' or later'}`;
}

function explainDebounce(wait: FlowFacts, until: string): Blocker {
  return blockerOf(
    { nodeId: null, visit: null },
    {
      code: 'waiting_for_place',
      message: `waits whether another start${keyOf(wait)} comes, which then displaces it`,
      since: wait.since,
      until,
      unblockedBy: 'the clock',
    },
  );
}

function explainBatch(wait: FlowFacts, { size }: NonNullable<FlowFacts['batch']>): Blocker {
  const { placesMax, ahead, since, dueAt } = wait;
  return blockerOf(
    { nodeId: null, visit: null },
    {
      code: 'waiting_for_place',
      message: `gathers in a batch${keyOf(wait)}: number ${ahead + 1} of ${Math.max(size, ahead + 1)} starts, and the batch closes with ${placesMax}`,
      since,
      until: dueAt,
      unblockedBy: 'the clock, or further starts of the key',
      details: { position: ahead + 1 },
    },
  );
}

const NAMED_MAX = 3;

function nameSome(executions: FlowFacts['holders']): string {
  if (executions.length === 0) return '';
  const more = executions.length > NAMED_MAX ? ', …' : '';
  return ` (${executions.slice(0, NAMED_MAX).join(', ')}${more})`;
}

function queueOf({ placeKey }: FlowFacts): string {
  const key = keyInPlace(placeKey);
  return key === '' ? 'of the workflow' : `of key ${key}`;
}

function keyOf({ placeKey }: FlowFacts): string {
  const key = keyInPlace(placeKey);
  return key === '' ? '' : ` of key ${key}`;
}

function rateKeyOf({ placeKey }: FlowFacts): string {
  const key = rateKeyInLine(placeKey);
  return key === '' ? '' : ` of key ${key}`;
}

/** Null: the rate is unknown. */
function describeRate(rate: Plan['rate']): string {
  return rate === null ? 'a rate' : `rate ${rate.limit} per ${rate.perMs / 1_000} s`;
}
