import type { NodeRun } from '../../ui/workflow-graph/index.ts';
import { memberOf } from './member-of.ts';

interface SimulatedEvent {
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload?: unknown;
}

const STATUS: Readonly<Record<string, string>> = {
  NodeScheduled: 'running',
  NodeCompleted: 'completed',
  NodeFailed: 'failed',
  NodeSkipped: 'skipped',
};

/** The nodes of a simulated run, in no time at all. */
export function runsOf(events: readonly SimulatedEvent[]): ReadonlyMap<string, NodeRun> {
  const runs = new Map<string, NodeRun>();
  for (const { kind, node_id: id, payload } of events) {
    const status = STATUS[kind];
    if (id === null || status === undefined) continue;
    const before = runs.get(id);
    const from = kind === 'NodeScheduled' ? textsOf(memberOf(payload, 'from')) : before?.from;
    runs.set(id, {
      status,
      attempts: 0,
      startedAt: null,
      endedAt: null,
      ...(from === undefined ? {} : { from: [...(before?.from ?? []), ...from] }),
    });
  }
  return runs;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
