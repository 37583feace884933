import { z } from 'zod';

import type { UsagePayload } from '../../../shared/domain/execution/usage-payload.ts';
import type { Usage } from '../../../shared/nodes/run.ts';
import { omittable } from '../../schemas/text.ts';

const TOKENS_MAX = 1_000_000_000_000;
const COST_USD_MAX = 1_000_000_000;
const tokenCount = z.int().min(0, 'must not be negative').max(TOKENS_MAX);

/** The usage of models that a worker may report for an item. */
export const usageFields = {
  gen_ai_model: omittable(z.string()),
  gen_ai_input_tokens: omittable(tokenCount),
  gen_ai_output_tokens: omittable(tokenCount),
  gen_ai_cost_usd: omittable(z.number().min(0, 'must not be negative').max(COST_USD_MAX)).meta({
    description:
      'US dollars. If absent, svc calculates it when it knows the price of `gen_ai_model`.',
  }),
};

const entryFields = {
  model: usageFields.gen_ai_model,
  input_tokens: usageFields.gen_ai_input_tokens,
  output_tokens: usageFields.gen_ai_output_tokens,
  cost_usd: omittable(z.number().min(0, 'must not be negative').max(COST_USD_MAX)).meta({
    description: 'US dollars. If absent, svc calculates it when it knows the price of `model`.',
  }),
};

/** The models that the step of an entry used, in all attempts. */
export const entryUsage = z
  .object(entryFields)
  .meta({ description: 'Usage of the models that the step called, in all its attempts.' })
  .transform(({ model, input_tokens, output_tokens, cost_usd }): UsagePayload | null => {
    if (input_tokens === null && output_tokens === null && cost_usd === null) return null;
    return {
      input_tokens: input_tokens ?? 0,
      output_tokens: output_tokens ?? 0,
      cost_usd,
      ...(model !== null && { model }),
    };
  });

/** Null when the worker reports no use of a model. */
export function usageOf(body: {
  readonly gen_ai_model: string | null;
  readonly gen_ai_input_tokens: number | null;
  readonly gen_ai_output_tokens: number | null;
  readonly gen_ai_cost_usd: number | null;
}): Usage | null {
  const { gen_ai_model: model, gen_ai_input_tokens: input, gen_ai_output_tokens: output } = body;
  const { gen_ai_cost_usd: costUsd } = body;
  if (input === null && output === null && costUsd === null) return null;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    costUsd,
    ...(model !== null && { model }),
  };
}
