import type { Comparison, ComparedPair } from '../../../src/shared/domain/eval/compare-cases.ts';
import type { ThresholdResult } from '../../../src/shared/domain/eval/judge-thresholds.ts';
import type { EvalSummary } from '../../../src/shared/domain/eval/tally-cases.ts';
import { printLine } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';
import type { JudgeUse } from './open-models.ts';
import { whyFailed, type CaseResult } from '../../../src/shared/evaluation/case-result.ts';

/** Cases shown one by one; the report has them all. */
export const CASES_SHOWN_MAX = 20;
const WHY_CHARACTERS_MAX = 100;

/** For people: what `--json` and the report hold in full. */
export function printSummary(params: {
  readonly summary: EvalSummary;
  /** Null: no model was asked. */
  readonly judge: JudgeUse | null;
  readonly thresholds: readonly ThresholdResult[];
  readonly comparison: Comparison | null;
  /** The first of the cases that did not pass. */
  readonly failed: readonly CaseResult[];
}): void {
  const { summary, judge, thresholds, comparison, failed } = params;
  if (failed.length > 0) printFailed(failed, summary);
  printTable({
    head: ['SCORER', 'PASS RATE', 'MEAN SCORE'],
    rows: [
      ...Object.entries(summary.scorers).map(([name, one]) => [
        name,
        showShare(one.pass_rate),
        showScore(one.mean_score),
      ]),
      ['all', showShare(summary.pass_rate), showScore(summary.mean_score)],
    ],
  });
  printLine('');
  printLine(describe(summary));
  if (judge !== null) printLine(describeJudge(judge));
  if (comparison !== null) printComparison(comparison);
  for (const { name, bound, actual, met } of thresholds) {
    printLine(`${met ? 'met' : 'not met'}: ${name} ${actual ?? 'unknown'}, bound ${bound}`);
  }
}

function printFailed(failed: readonly CaseResult[], summary: EvalSummary): void {
  printTable({
    head: ['FAILED CASE', 'SCORE', 'EXECUTION', 'WHY'],
    rows: failed.map((result) => [
      result.id,
      showScore(result.score),
      result.execution_id,
      shorten(whyFailed(result)),
    ]),
  });
  const more = summary.failed - failed.length;
  if (more > 0) printLine(`and ${more} more`);
  printLine('');
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= WHY_CHARACTERS_MAX ? line : `${line.slice(0, WHY_CHARACTERS_MAX - 1)}…`;
}

function describe(summary: EvalSummary): string {
  const { cases, passed, errors, p50_ms: p50, p95_ms: p95, tokens, cost_usd: cost } = summary;
  const { waited, longest_wait_ms: longest } = summary;
  return [
    `${passed} of ${cases} cases passed`,
    ...(errors > 0 ? [`${errors} without an output`] : []),
    ...(p50 === null ? [] : [`p50 ${p50} ms`, `p95 ${p95} ms`]),
    ...(longest === null ? [] : [`${waited} waited for a place, up to ${longest} ms`]),
    ...(tokens === null || tokens === 0 ? [] : [`${tokens} tokens`]),
    ...(cost === null || cost === 0 ? [] : [`$${cost}`]),
  ].join(', ');
}

function describeJudge({ calls, tokens, cost_usd: cost }: JudgeUse): string {
  const price = cost === null ? 'at an unknown price' : `$${cost}`;
  return `judges answered ${calls} calls, ${tokens} tokens, ${price}`;
}

function printComparison(comparison: Comparison): void {
  const { regressions, improvements, score_down: down, score_up: up } = comparison;
  printLine(
    `${regressions.length} regressions, ${improvements.length} improvements, ` +
      `${down.length} scores lower, ${up.length} higher, ${comparison.unchanged} the same, ` +
      `${comparison.added.length} cases new, ${comparison.removed.length} gone`,
  );
  printPairs('regression', regressions);
  printPairs('improvement', improvements);
}

function printPairs(what: string, pairs: readonly ComparedPair[]): void {
  for (const { id, earlier, now } of pairs.slice(0, CASES_SHOWN_MAX)) {
    printLine(`${what}: ${id}: ${showScore(earlier)} before, ${showScore(now)} now`);
  }
  const more = pairs.length - CASES_SHOWN_MAX;
  if (more > 0) printLine(`and ${more} more`);
}

function showShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function showScore(score: number): string {
  return score.toFixed(3);
}
