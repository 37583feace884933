import { GATES, judge, type JudgedGate, keyOf } from '../gates.ts';
import { BUDGET_HEAD, budgetRows } from './budget-rows.ts';
import {
  GATE_HEAD,
  gateRows,
  RATIO_HEAD,
  ratioRows,
  renderMarkdown,
  RESULT_HEAD,
  resultRows,
  type Result,
} from './render.ts';
import { WORKER_HEAD, workerRows } from './worker-rows.ts';

/** The results of a run, as `--json` prints them. */
export interface Report {
  readonly began: string;
  readonly rounds: number;
  /** The length of a window. */
  readonly seconds: number;
  readonly machine: string;
  readonly gates: readonly JudgedGate[];
  readonly results: readonly Result[];
  /** Separate runs measured these workloads. */
  readonly added?: readonly Added[];
}

interface Added extends Pick<Report, 'began' | 'machine'> {
  readonly workloads: readonly string[];
}

export const judgeResults = (results: readonly Result[]): readonly JudgedGate[] =>
  judge(GATES, new Map(results.map((result) => [keyOf(result), result.rounds])));

export const describeRounds = ({ rounds, seconds }: Pick<Report, 'rounds' | 'seconds'>): string =>
  `${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s`;

/** The gates, the ratios and the figures, for a page. */
export function renderReport(report: Report): string {
  const { began, machine, gates, results, added = [] } = report;
  const ofWorkers = workerRows(results);
  const budgets = budgetRows(results, gates);
  return [
    `${dayOf(began)}: ${machine}; ${describeRounds(report)}.`,
    ...added.map((one) => {
      const names = one.workloads.map((name) => `\`${name}\``).join(', ');
      return `Measured separately, ${dayOf(one.began)}: ${names} (${one.machine}).`;
    }),
    renderMarkdown(GATE_HEAD, gateRows(gates)),
    ...(budgets.length > 0 ? [renderMarkdown(BUDGET_HEAD, budgets)] : []),
    renderMarkdown(RATIO_HEAD, ratioRows(results)),
    ...(ofWorkers.length > 0 ? [renderMarkdown(WORKER_HEAD, ofWorkers)] : []),
    renderMarkdown(RESULT_HEAD, resultRows(results)),
  ].join('\n\n');
}

/**
 * Adds the workloads of another run that this report lacks. Throws when both have a workload:
 * figures from different times are not comparable.
 */
export function addReport(report: Report, other: Report): Report {
  const had = new Set(report.results.filter(isMeasured).map(({ id }) => id));
  const measured = other.results.filter(isMeasured);
  const twice = measured.filter(({ id }) => had.has(id));
  if (twice.length > 0) {
    throw new Error(
      `the page has ${twice.map(keyOf).join(', ')} already: leave it out with --only, or make all ` +
        'figures again with --save',
    );
  }
  const results = [...report.results.filter(isMeasured), ...measured];
  const { began, machine } = other;
  const workloads = [...new Set(measured.map(({ id }) => id))];
  return {
    ...report,
    results,
    gates: judgeResults(results),
    added: [...(report.added ?? []), { began, machine, workloads }],
  };
}

const isMeasured = ({ rounds }: Result): boolean => rounds.length > 0;
const dayOf = (instant: string): string => instant.slice(0, 10);
