import { askForJudgement, readJudgement, type Judgement } from '../../domain/eval/judgement.ts';
import type { JudgeScorer } from '../../domain/eval/scorer.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ModelClient, ModelFailure, ModelUsage } from '../../ports/models.ts';

export type JudgeAnswer =
  | {
      readonly ok: true;
      readonly judgement: Judgement & { readonly ok: true };
      readonly usage: ModelUsage;
      /** As the provider names it. */
      readonly model: string;
    }
  | ModelFailure;

const TIMEOUT_MS = 120_000;

/** Asks a scorer's model about an output, once. An answer to another question is a failure. */
export async function judgeOutput(params: {
  readonly client: ModelClient;
  readonly scorer: JudgeScorer;
  /** The material by name: `output`, and other values that the rubric may mention. */
  readonly material: JsonObject;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
}): Promise<JudgeAnswer> {
  const { client, scorer, material, idempotencyKey, signal } = params;
  const { provider, model, baseUrl, temperature, maxTokens, timeoutMs } = scorer.model;
  const { system, prompt } = askForJudgement({ rubric: scorer.rubric, material });
  const answer = await client.call({
    tenantId: null,
    provider,
    model,
    baseUrl,
    system,
    messages: [{ role: 'user', text: prompt }],
    temperature,
    maxTokens,
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
    idempotencyKey,
    signal,
  });
  if (!answer.ok) return answer;
  const judgement = readJudgement(answer.text);
  if (judgement.ok) return { ok: true, judgement, usage: answer.usage, model: answer.model };
  return {
    ok: false,
    error: `${model} gave no judgement: ${judgement.error}`,
    errorClass: 'invalid_response',
    final: false,
    usage: answer.usage,
  };
}
