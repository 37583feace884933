import type { ModelPrice, PriceTable } from './price.ts';

/**
 * List prices of the providers' own APIs, standard service, text, in force on this day. From
 * https://openai.com/api/pricing, https://www.anthropic.com/pricing and
 * https://ai.google.dev/gemini-api/docs/pricing, as collected on 2026-08-21 by
 * https://github.com/pydantic/genai-prices (commit 47df840a), whose table names when each was checked.
 *
 * Prices change; what an operator's contract says goes into the file of `models.prices_file`.
 */
export const PRICES_AS_OF = '2026-09-01';

export const LIST_PRICES: PriceTable = {
  'openai/gpt-4o': usd(2.5, 1.25, 10),
  'openai/gpt-4o-mini': usd(0.15, 0.075, 0.6),
  'openai/gpt-4.1': usd(2, 0.5, 8),
  'openai/gpt-4.1-mini': usd(0.4, 0.1, 1.6),
  'openai/gpt-4.1-nano': usd(0.1, 0.025, 0.4),
  'openai/o3': usd(2, 0.5, 8),
  'openai/o3-mini': usd(1.1, 0.55, 4.4),
  'openai/o4-mini': usd(1.1, 0.275, 4.4),
  'openai/gpt-5': usd(1.25, 0.125, 10),
  'openai/gpt-5-mini': usd(0.25, 0.025, 2),
  'openai/gpt-5-nano': usd(0.05, 0.005, 0.4),
  'openai/gpt-5.1': usd(1.25, 0.125, 10),
  'openai/gpt-5.2': usd(1.75, 0.175, 14),
  'openai/gpt-5.4': longAbove(272_000, usd(2.5, 0.25, 15), usd(5, 0.5, 22.5)),
  'openai/gpt-5.4-mini': usd(0.75, 0.075, 4.5),
  'openai/gpt-5.4-nano': usd(0.2, 0.02, 1.25),
  'openai/gpt-5.5': usd(5, 0.5, 30),
  'openai/gpt-5.6-luna': longAbove(
    272_000,
    writing(0.25, usd(0.2, 0.02, 1.2)),
    writing(0.5, usd(0.4, 0.04, 1.8)),
  ),
  'openai/gpt-5.6-terra': longAbove(
    272_000,
    writing(2.5, usd(2, 0.2, 12)),
    writing(5, usd(4, 0.4, 18)),
  ),
  'openai/gpt-5.6-sol': longAbove(
    272_000,
    writing(6.25, usd(5, 0.5, 30)),
    writing(12.5, usd(10, 1, 45)),
  ),
  'anthropic/claude-haiku-4-5': writing(1.25, usd(1, 0.1, 5)),
  'anthropic/claude-sonnet-4-0': writing(3.75, usd(3, 0.3, 15)),
  'anthropic/claude-sonnet-4': writing(3.75, usd(3, 0.3, 15)),
  'anthropic/claude-sonnet-4-5': longAbove(
    200_000,
    writing(3.75, usd(3, 0.3, 15)),
    writing(7.5, usd(6, 0.6, 22.5)),
  ),
  'anthropic/claude-sonnet-4-6': writing(3.75, usd(3, 0.3, 15)),
  'anthropic/claude-sonnet-5': writing(3.75, usd(3, 0.3, 15)),
  'anthropic/claude-opus-4-0': writing(18.75, usd(15, 1.5, 75)),
  'anthropic/claude-opus-4': writing(18.75, usd(15, 1.5, 75)),
  'anthropic/claude-opus-4-1': writing(18.75, usd(15, 1.5, 75)),
  'anthropic/claude-opus-4-5': writing(6.25, usd(5, 0.5, 25)),
  'anthropic/claude-opus-4-6': writing(6.25, usd(5, 0.5, 25)),
  'anthropic/claude-opus-4-7': writing(6.25, usd(5, 0.5, 25)),
  'anthropic/claude-opus-4-8': writing(6.25, usd(5, 0.5, 25)),
  'anthropic/claude-opus-5': writing(6.25, usd(5, 0.5, 25)),
  'anthropic/claude-fable-5': writing(12.5, usd(10, 1, 50)),
  'google/gemini-2.0-flash': usd(0.1, 0.025, 0.4),
  'google/gemini-2.5-flash': usd(0.3, 0.03, 2.5),
  'google/gemini-2.5-flash-lite': usd(0.1, 0.01, 0.4),
  'google/gemini-2.5-pro': longAbove(200_000, usd(1.25, 0.125, 10), usd(2.5, 0.25, 15)),
  'google/gemini-3-flash-preview': usd(0.5, 0.05, 3),
  'google/gemini-3-pro-preview': longAbove(200_000, usd(2, 0.2, 12), usd(4, 0.4, 18)),
  'google/gemini-3.1-pro-preview': longAbove(200_000, usd(2, 0.2, 12), usd(4, 0.4, 18)),
  'google/gemini-3.1-flash-lite': usd(0.25, 0.025, 1.5),
  'google/gemini-3.5-flash': usd(1.5, 0.15, 9),
  'google/gemini-3.5-flash-lite': usd(0.3, 0.03, 2.5),
  'google/gemini-3.6-flash': usd(0.75, 0.075, 3.75),
  'google/gemini-3.7-flash': usd(0.75, 0.075, 3.75),
};

function usd(input: number, cachedInput: number, output: number): ModelPrice {
  return { input, cachedInput, output, cacheWrite: input };
}

/** A price where writing to the provider's cache costs more than input does. */
function writing(cacheWrite: number, price: ModelPrice): ModelPrice {
  return { ...price, cacheWrite };
}

function longAbove(aboveTokens: number, price: ModelPrice, long: ModelPrice): ModelPrice {
  return { ...price, long: { aboveTokens, price: long } };
}
