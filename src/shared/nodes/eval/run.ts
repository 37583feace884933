import { measureJudged, type Measured } from '../../domain/eval/measure-judged.ts';
import { readJudgement, type Judgement } from '../../domain/eval/judgement.ts';
import { scoreSubject } from '../../domain/eval/score-subject.ts';
import type { JudgeScorer } from '../../domain/eval/scorer.ts';
import { policyNames } from '../../domain/models/read-model-part.ts';
import type { History } from '../../ports/history.ts';
import type { ModelClient } from '../../ports/models.ts';
import { concludeEval } from './conclude-eval.ts';
import { judgesOf } from './judges-of.ts';
import type { EvalSpec } from './spec.ts';
import { judgeOutput } from '../model/judge-output.ts';
import type { NodeCall, NodeOutcome, NodeRunner, Usage } from '../run.ts';

/*
 * The part of an `eval` node that asks: models for their judgement, the history for what it took to
 * make the output. Each judgement is put on record before the next model is asked, so that a crash
 * or a busy provider repeats none of them.
 */

export interface EvalRunnerDeps {
  readonly models: ModelClient;
  readonly history: History;
}

export function createEvalRunner(deps: EvalRunnerDeps): NodeRunner<EvalSpec> {
  return { run: (call) => runEval(deps, call) };
}

async function runEval(deps: EvalRunnerDeps, call: NodeCall<EvalSpec>): Promise<NodeOutcome> {
  const { spec } = call;
  const asked = await askJudges(deps.models, call);
  if (!asked.ok) return asked.outcome;
  const { judgements, usage } = asked;
  const isMeasured = spec.scorers.some(({ type }) => type === 'latency' || type === 'cost');
  const measured = isMeasured ? await measure(deps.history, call) : UNMEASURED;
  const result = scoreSubject({
    scorers: spec.scorers,
    subject: { scope: { ...call.scope, output: call.input }, ...measured },
    judgements,
  });
  const end = concludeEval(spec, { result, visit: call.visit });
  const spent = usage === null ? {} : { usage };
  if (end.do === 'fail') {
    return { ok: false, error: end.error, errorClass: end.errorClass, final: true, ...spent };
  }
  const { output, targets } = end;
  return { ok: true, output, statePatch: {}, ...(targets && { targets }), ...spent };
}

const UNMEASURED: Measured = { durationMs: null, tokens: null, costUsd: null };

type Asked =
  | {
      readonly ok: true;
      readonly judgements: ReadonlyMap<string, Judgement>;
      readonly usage: Usage | null;
    }
  | { readonly ok: false; readonly outcome: NodeOutcome };

async function askJudges(client: ModelClient, call: NodeCall<EvalSpec>): Promise<Asked> {
  const judgements = new Map<string, Judgement>();
  let usage: Usage | null = null;
  for (const [index, scorer] of judgesOf(call.spec.scorers).entries()) {
    const known = call.progress[nameOf(scorer)];
    if (known !== undefined) {
      judgements.set(scorer.name, readJudgement(JSON.stringify(known)));
      continue;
    }
    const names = policyNames(scorer.model);
    if (call.policy.judgeModel(names) === 'blocked') {
      const error = `the policy does not allow the model ${names[0]}`;
      return {
        ok: false,
        outcome: fail({ error, errorClass: 'policy_violation', final: true }, usage),
      };
    }
    const answer = await judgeOutput({
      client,
      scorer,
      material: { output: call.input },
      idempotencyKey: `${call.idempotencyKey}-${index}`,
      signal: call.signal,
    });
    usage = addUsage(usage, answer.usage, scorer);
    if (!answer.ok) return { ok: false, outcome: fail(answer, usage) };
    const { score, reason } = answer.judgement;
    await call.record({ name: nameOf(scorer), data: { score, reason }, kept: true });
    judgements.set(scorer.name, answer.judgement);
  }
  return { ok: true, judgements, usage };
}

/** The judgement in the visit's recorded progress. */
function nameOf({ name }: JudgeScorer): string {
  return `judgement ${name}`;
}

function fail(
  of: {
    readonly error: string;
    readonly errorClass: string;
    readonly final: boolean;
    readonly retryAfterMs?: number;
  },
  usage: Usage | null,
): NodeOutcome {
  const { error, errorClass, final, retryAfterMs } = of;
  return {
    ok: false,
    error,
    errorClass,
    final,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(usage !== null && { usage }),
  };
}

function addUsage(
  sum: Usage | null,
  part: Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'> | undefined,
  { model: { model } }: JudgeScorer,
): Usage | null {
  if (part === undefined) return sum;
  if (sum === null) return { ...part, model };
  const isPriced = sum.costUsd !== null && part.costUsd !== null;
  return {
    inputTokens: sum.inputTokens + part.inputTokens,
    outputTokens: sum.outputTokens + part.outputTokens,
    costUsd: isPriced ? (sum.costUsd ?? 0) + (part.costUsd ?? 0) : null,
    ...(sum.model === model && { model }),
  };
}

/**
 * The judged node has usually just ended, so the history is read from its end. If the node ended in
 * the run before this one, nothing is known about it.
 */
const EVENTS_FIRST = 256;

async function measure(history: History, call: NodeCall): Promise<Measured> {
  const { executionId, scheduledSequence } = call;
  for (let count = EVENTS_FIRST; ; count *= 8) {
    const after = Math.max(0, scheduledSequence - count);
    const events = await history.events({ executionId, after, limit: scheduledSequence - after });
    const measured = measureJudged(events);
    if (measured !== null) return measured;
    if (after === 0) return UNMEASURED;
  }
}
