import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { evaluateMapping } from '../../../src/shared/domain/expression/mapping.ts';
import { isJsonObject } from '../../../src/shared/domain/json.ts';
import type { ModelClient } from '../../../src/shared/ports/models.ts';
import type { CaseResult } from '../../../src/shared/evaluation/case-result.ts';
import type { Evaluation } from '../../../src/shared/evaluation/evaluation.ts';
import { judgeCase, type Outcome } from '../../../src/shared/evaluation/judge-case.ts';
import type { EvalCase } from '../../../src/shared/evaluation/make-case.ts';
import type { Wait } from '../execution/tell-waits.ts';
import { runExecution, type EndedExecution } from './run-execution.ts';

/** The dependencies of running cases. */
export interface CaseRunner {
  readonly evaluation: Evaluation;
  /** Null: nothing is run, and the cases hold their outputs. */
  readonly runtime: {
    readonly client: SvcClient;
    readonly workflow: { readonly id: string; readonly version: string };
    /** Starting a case again under it, after a lost answer, starts nothing twice. */
    readonly runId: string;
  } | null;
  readonly models: ModelClient | null;
  /** Aborted when the evaluation is interrupted. */
  readonly signal: AbortSignal;
  /** Told why the execution of a case does not move. */
  readonly tellWait: (wait: Wait) => void;
}

/** Runs and judges one case. Rejects when there is no use in running others. */
export async function runCase(runner: CaseRunner, one: EvalCase): Promise<CaseResult> {
  const { id, line, input, expected } = one;
  const ended = await run(runner, one);
  const outcome = ended.error === null ? findOutput(runner, one, ended) : ended.error;
  const about = {
    id,
    line,
    duration_ms: ended.durationMs,
    waited_ms: ended.waitedMs,
    tokens: ended.tokens,
    cost_usd: ended.costUsd,
    execution_id: ended.executionId,
    input,
    expected,
  };
  const failed = (error: string) =>
    ({ ...about, passed: false, score: 0, scorers: [], error, output: null }) as const;
  if (typeof outcome === 'string') return failed(outcome);
  const { models, signal } = runner;
  const { scorers } = runner.evaluation;
  try {
    const result = await judgeCase({ case: one, outcome, scorers, models, signal });
    return { ...about, ...result, error: null, output: outcome.output };
  } catch (error) {
    if (signal.aborted) return failed('the evaluation was interrupted');
    throw error;
  }
}

async function run(
  { runtime, evaluation, signal, tellWait }: CaseRunner,
  one: EvalCase,
): Promise<EndedExecution> {
  if (runtime === null) {
    const nothing = { executionId: null, error: null, durationMs: null, waitedMs: null };
    return { ...nothing, state: one.output, tokens: null, costUsd: null };
  }
  return runExecution({
    client: runtime.client,
    workflow: runtime.workflow,
    input: one.input,
    idempotencyKey: `eval-${runtime.runId}-${one.line}`,
    timeoutMs: evaluation.caseMs,
    signal,
    tellWait,
  });
}

/** Text: why no output could be found. */
function findOutput(
  { runtime, evaluation }: CaseRunner,
  { input }: EvalCase,
  ended: EndedExecution,
): Outcome | string {
  const { state, durationMs, tokens, costUsd } = ended;
  const outcome = { state, output: state, durationMs, tokens, costUsd };
  if (runtime === null || evaluation.output === null) return outcome;
  const scope = { state: isJsonObject(state) ? state : {}, output: null, input, execution: {} };
  const result = evaluateMapping(evaluation.output, scope);
  return result.ok ? { ...outcome, output: result.value } : `output: ${result.message}`;
}
