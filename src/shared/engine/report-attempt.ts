import type { NodeOutcome } from '../nodes/run.ts';
import type { EngineDeps } from './deps.ts';
import type { Settleable } from './worker-desk.ts';

type Report = Pick<EngineDeps, 'report'>;

/** A run in this process; what is parked, or goes on in a child, is not over. */
export function reportRun(
  { report }: Report,
  of: {
    readonly nodeKind: string | undefined;
    readonly outcome: NodeOutcome;
    readonly ms: number;
  },
): void {
  const { nodeKind = 'unknown', outcome, ms } = of;
  if (typeof outcome.ok !== 'boolean') return;
  const labels = { node_kind: nodeKind, outcome: outcome.ok ? 'completed' : 'failed' };
  report.observe('node_seconds', ms / 1_000, labels);
}

/** A worker's attempt, from claim to settling by the database's clock. */
export function reportAttempt(
  { report }: Report,
  { lease }: Pick<Settleable, 'lease'>,
  of: {
    readonly nodeKind: string;
    readonly outcome: 'completed' | 'failed';
    readonly endedAt: string;
  },
): void {
  const { nodeKind, outcome, endedAt } = of;
  const seconds = (Date.parse(endedAt) - Date.parse(lease.claimedAt)) / 1_000;
  report.observe('node_seconds', Math.max(0, seconds), { node_kind: nodeKind, outcome });
}
