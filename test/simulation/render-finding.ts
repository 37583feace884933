import { describe } from '../invariants/violation.ts';
import type { Finding } from './run-histories.ts';
import type { Scenario } from './scenario.ts';

/** Shows the violation, and the smallest history with it, to the developer. */
export function renderFinding(params: {
  readonly finding: Finding;
  readonly smallest: Finding;
  /** The trace of `smallest`. */
  readonly lines: readonly string[];
}): string {
  const { finding, smallest, lines } = params;
  return [
    `seed ${finding.scenario.seed} violates:`,
    ...finding.outcome.violations.map(describe),
    '',
    `made small: ${summary(smallest.scenario)}`,
    ...smallest.outcome.violations.map(describe),
    '',
    ...lines.filter((line) => !DULL.test(line)),
    '',
    `again: npm run test:sim -- --seed ${finding.scenario.seed}`,
  ].join('\n');
}

/** Lines of a trace that show nothing: polls and empty claims. */
const DULL =
  /shards\.|nextDueInMs$|listExpired|listOverdue|runnable\.list$|claim \S+ 200$|work\.claim$/;

function summary({ starts, workers, roles, rates }: Scenario): string {
  const faults = Object.entries(rates).filter(([, rate]) => rate > 0);
  return [
    `processes ${roles.join(', ')}`,
    `executions of ${starts.map(({ workflowId }) => workflowId).join(', ')}`,
    `${workers.length} workers`,
    `faults ${faults.map(([kind]) => kind).join(', ') || 'none'}`,
  ].join('; ');
}
