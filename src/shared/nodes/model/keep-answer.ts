import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ModelAnswer } from '../../ports/models.ts';
import { readToolCalls } from './read-tool-calls.ts';
import { writeCalls } from './read-messages.ts';
import type { NodeCall } from '../run.ts';

export interface KeptAnswer {
  readonly answer: ModelAnswer;
  /** The first reason why the visit was parked, with the model's usage. */
  readonly firstShown: JsonObject;
}

/** Records an answer for the later runs of its visit, which then don't ask the model again. */
export async function keepAnswer(
  call: NodeCall,
  { answer, firstShown }: KeptAnswer,
): Promise<void> {
  const { text, object, toolCalls, finishReason, usage, model } = answer;
  const data = {
    text,
    object,
    tool_calls: writeCalls(toolCalls),
    finish_reason: finishReason,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
    model,
    first_shown: firstShown,
  };
  await call.record({ name: PROGRESS_NAME, data, kept: true });
}

/** Null: no answer of this visit waits for an approval. */
export function readKeptAnswer({ progress }: Pick<NodeCall, 'progress'>): KeptAnswer | null {
  const data = progress[PROGRESS_NAME];
  if (data === undefined) return null;
  const { text, object = null, finish_reason: finishReason, usage = null, model } = data;
  const { first_shown: firstShown } = data;
  const toolCalls = readToolCalls(data['tool_calls'] ?? []);
  if (
    typeof text !== 'string' ||
    typeof finishReason !== 'string' ||
    typeof model !== 'string' ||
    typeof toolCalls === 'string' ||
    !isJsonObject(usage) ||
    !isJsonObject(firstShown)
  ) {
    throw new Error(`${PROGRESS_NAME} is on record in a form that this version cannot read`);
  }
  const { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd } = usage;
  const answer: ModelAnswer = {
    ok: true,
    text,
    object,
    toolCalls,
    finishReason,
    usage: {
      inputTokens: typeof inputTokens === 'number' ? inputTokens : 0,
      outputTokens: typeof outputTokens === 'number' ? outputTokens : 0,
      costUsd: typeof costUsd === 'number' ? costUsd : null,
    },
    model,
  };
  return { answer, firstShown };
}

const PROGRESS_NAME = 'model_answer';
