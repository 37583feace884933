import type { RecordedEvent } from '../execution/event.ts';
import { usagesOfSteps } from '../execution/function-events.ts';
import type { UsagePayload } from '../execution/usage-payload.ts';
import type { Subject } from './score-subject.ts';

export type Measured = Pick<Subject, 'durationMs' | 'tokens' | 'costUsd'>;

/** Nothing led to the node, so nothing is known. */
const UNKNOWN: Measured = { durationMs: null, tokens: null, costUsd: null };

/**
 * Measures the visit that an `eval` node judges: the last one to end among the nodes that led here.
 * Its time runs from its scheduling to its end by the database's clock, with waiting and retries;
 * its cost is that of all its attempts. `events` end with the NodeScheduled of the `eval` node;
 * null: they begin too late.
 */
export function measureJudged(events: readonly RecordedEvent[]): Measured | null {
  const own = events.at(-1);
  if (own?.kind !== 'NodeScheduled') throw new Error('the last event schedules no node');
  const { from } = own.payload;
  if (from.length === 0) return UNKNOWN;
  const end = events.findLast((event) => isEnd(event) && from.includes(event.nodeId ?? ''));
  if (end === undefined) return null;
  const visit = visitOf(end);
  const ofVisit = events.filter((event) => event.nodeId === end.nodeId && visitOf(event) === visit);
  const start = ofVisit.find(({ kind }) => kind === 'NodeScheduled');
  if (start === undefined) return null;
  return {
    durationMs: Date.parse(end.createdAt) - Date.parse(start.createdAt),
    ...sumUsage(ofVisit),
  };
}

function isEnd(event: RecordedEvent): boolean {
  if (event.kind === 'NodeFailed') return !event.payload.retryable;
  return event.kind === 'NodeCompleted';
}

function visitOf({ payload }: RecordedEvent): number | null {
  return 'visit' in payload ? payload.visit : null;
}

function usagesOf({ kind, payload }: RecordedEvent): readonly UsagePayload[] {
  if (kind === 'StepRecorded') return usagesOfSteps(payload);
  return 'usage' in payload && payload.usage !== undefined ? [payload.usage] : [];
}

function sumUsage(events: readonly RecordedEvent[]): Pick<Measured, 'tokens' | 'costUsd'> {
  let tokens = 0;
  let costUsd: number | null = 0;
  for (const usage of events.flatMap(usagesOf)) {
    tokens += usage.input_tokens + usage.output_tokens;
    costUsd = costUsd === null || usage.cost_usd === null ? null : costUsd + usage.cost_usd;
  }
  return { tokens, costUsd };
}
