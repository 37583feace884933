import type { ReplyOf } from '../../../api/client.ts';
import { formatDuration } from '../../../ui/data/format-time.ts';
import type { Interval } from './time-scale.ts';

export type Timeline = ReplyOf<'read-timeline'>;
export type Visit = Timeline['visits'][number];

export interface DrawnStretch extends Interval {
  readonly activity: Visit['stretches'][number]['activity'];
  readonly sequence: number;
  readonly attempt: number;
}

/** The stretches of a visit with their ends; the last one of a live visit ends now. */
export function drawnStretches(visit: Visit, now: number): readonly DrawnStretch[] {
  const end = visit.end === null ? now : Date.parse(visit.end.at);
  return visit.stretches.map(({ activity, sequence, attempt, at }, index) => {
    const next = visit.stretches[index + 1];
    const from = Date.parse(at);
    const to = next === undefined ? end : Date.parse(next.at);
    return { activity, sequence, attempt, from, to: Math.max(from, to) };
  });
}

/** Times in which something is queued or at work. */
export function busyTimes(visits: readonly Visit[], now: number): readonly Interval[] {
  return visits.flatMap((visit) =>
    drawnStretches(visit, now).filter(
      ({ activity }) => activity === 'queued' || activity === 'working',
    ),
  );
}

/** The last event that the timeline knows of at or before an instant. */
export function sequenceAt(visits: readonly Visit[], instant: number): number | null {
  let found: number | null = null;
  for (const { stretches, end } of visits) {
    for (const { at, sequence } of end === null ? stretches : [...stretches, end]) {
      if (Date.parse(at) <= instant && sequence > (found ?? 0)) found = sequence;
    }
  }
  return found;
}

export const ACTIVITY_LABELS: Readonly<Record<DrawnStretch['activity'], string>> = {
  queued: 'waiting for a worker',
  working: 'running',
  waiting: 'waiting for a person, an event or a timer',
  retrying: 'waiting to retry',
};

/** A visit in words, for who does not see the bars. */
export function describeVisit(visit: Visit, now: number): string {
  const parts = drawnStretches(visit, now).map(
    ({ activity, from, to }) => `${ACTIVITY_LABELS[activity]} for ${formatDuration(to - from)}`,
  );
  const end = visit.end === null ? [] : [visit.end.outcome];
  return `${nameVisit(visit)}: ${[...parts, ...end].join(', ')}`;
}

export function nameVisit({ node_id: node, visit, item }: Visit): string {
  if (item !== null) return `${node} item ${item.index}`;
  return visit === 0 ? node : `${node} visit ${visit}`;
}
