import { z } from 'zod';

import type { Usage } from '../../../shared/nodes/run.ts';
import { omittable } from '../../schemas/text.ts';

const TOKENS_MAX = 1_000_000_000_000;
const tokenCount = z.int().min(0, 'must not be negative').max(TOKENS_MAX);

/** The usage of models that a worker may report for an item. */
export const usageFields = {
  gen_ai_model: omittable(z.string()),
  gen_ai_input_tokens: omittable(tokenCount),
  gen_ai_output_tokens: omittable(tokenCount),
  gen_ai_cost_usd: omittable(z.number().min(0, 'must not be negative').max(1_000_000_000)).meta({
    description:
      'US dollars. If absent, svc calculates it when it knows the price of `gen_ai_model`.',
  }),
};

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
