import { setTimeout as delay } from 'node:timers/promises';

import type { Judgement } from '../domain/eval/judgement.ts';
import { scoreSubject } from '../domain/eval/score-subject.ts';
import type { EvalResult, JudgeScorer, Scorer } from '../domain/eval/scorer.ts';
import type { JsonValue } from '../domain/json.ts';
import { judgeOutput } from '../nodes/model/judge-output.ts';
import type { ModelClient } from '../ports/models.ts';
import type { EvalCase } from './make-case.ts';

const TRIES_MAX = 3;
const PAUSE_MS = { first: 500, most: 30_000 };

/** The result of a case before its judgement. */
export interface Outcome {
  readonly output: JsonValue;
  /** The final state; without a workflow the output again. */
  readonly state: JsonValue;
  readonly durationMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** Scores what a case came to. Rejects only with the reason of `signal`. */
export async function judgeCase(params: {
  readonly case: EvalCase;
  readonly outcome: Outcome;
  readonly scorers: readonly Scorer[];
  /** Null: no scorer asks a model. */
  readonly models: ModelClient | null;
  readonly signal: AbortSignal;
}): Promise<EvalResult> {
  const { outcome, scorers, models, signal } = params;
  const { input, expected } = params.case;
  const { output, state } = outcome;
  const judgements = new Map<string, Judgement>();
  for (const scorer of scorers) {
    if (scorer.type !== 'llm_judge' || models === null) continue;
    const material = { input, output, ...(expected !== null && { expected }) };
    judgements.set(scorer.name, await ask({ models, scorer, material, signal }));
  }
  const scope = { state, output, input, expected, execution: {} };
  return scoreSubject({ scorers, subject: { ...outcome, scope }, judgements });
}

/** A judge that is busy or gives no judgement is asked again. */
async function ask(params: {
  readonly models: ModelClient;
  readonly scorer: JudgeScorer;
  readonly material: Readonly<Record<string, JsonValue>>;
  readonly signal: AbortSignal;
}): Promise<Judgement> {
  const { models: client, ...question } = params;
  for (let tries = 1; ; tries += 1) {
    const answer = await judgeOutput({ client, ...question, idempotencyKey: null });
    if (answer.ok) return answer.judgement;
    if (answer.final || tries >= TRIES_MAX) return { ok: false, error: answer.error };
    const pauseMs = answer.retryAfterMs ?? PAUSE_MS.first * 2 ** tries;
    await delay(Math.min(pauseMs, PAUSE_MS.most), undefined, { signal: params.signal });
  }
}
