import type { EventKind } from '../../domain/execution/event.ts';
import type { CommitPlan, CommitVerdict } from '../../store/commit.ts';
import type { EngineReport } from '../report.ts';

/**
 * Figures of what one batch has changed. Everything that happens to executions passes here, once and
 * only when it is accepted; added up first, so that a batch of hundreds costs little more than one.
 */
export function reportCommits(
  report: Pick<EngineReport, 'count' | 'observe'>,
  plans: readonly CommitPlan[],
  verdicts: readonly CommitVerdict[],
): void {
  report.count('commits', 1);
  report.observe('commit_batch_plans', plans.length);
  const events = new Map<EventKind, number>();
  const retries = new Map<string, number>();
  let deadLetters = 0;
  for (const [index, plan] of plans.entries()) {
    const verdict = verdicts[index];
    if (verdict?.accepted === false) {
      report.count('commit_refusals', 1, { reason: verdict.reason });
      continue;
    }
    for (const { kind, nodeId } of plan.events) {
      events.set(kind, (events.get(kind) ?? 0) + 1);
      if (kind !== 'RetryScheduled' || nodeId === null) continue;
      retries.set(nodeId, (retries.get(nodeId) ?? 0) + 1);
    }
    deadLetters += plan.deadLetters.length;
    if (plan.charge !== null) reportUse(report, plan.charge);
  }
  for (const [kind, by] of events) report.count('events', by, { kind });
  for (const [nodeId, by] of retries) report.count('retries', by, { node_id: nodeId });
  if (deadLetters > 0) report.count('dead_letters', deadLetters);
}

function reportUse(
  report: Pick<EngineReport, 'count'>,
  use: NonNullable<CommitPlan['charge']>,
): void {
  report.count('model_tokens', use.inputTokens, { direction: 'input' });
  report.count('model_tokens', use.outputTokens, { direction: 'output' });
  report.count('model_cost', use.costUsd);
}
