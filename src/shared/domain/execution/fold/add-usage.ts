import type { Draft } from '../draft.ts';
import type { UsagePayload } from '../usage-payload.ts';

export function addUsage(draft: Draft, usage: UsagePayload | undefined): void {
  if (usage === undefined) return;
  const { inputTokens, outputTokens, costUsd } = draft.usage;
  draft.usage = {
    inputTokens: inputTokens + usage.input_tokens,
    outputTokens: outputTokens + usage.output_tokens,
    costUsd: costUsd + (usage.cost_usd ?? 0),
  };
}
