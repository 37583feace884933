import type { Draft } from '../draft.ts';
import type { ExecutionEvent } from '../event.ts';
import { usagesOfSteps } from '../function-events.ts';
import type { UsagePayload } from '../usage-payload.ts';

export function addUsage(draft: Pick<Draft, 'usage'>, usage: UsagePayload | undefined): void {
  if (usage === undefined) return;
  const { inputTokens, outputTokens, costUsd } = draft.usage;
  draft.usage = {
    inputTokens: inputTokens + usage.input_tokens,
    outputTokens: outputTokens + usage.output_tokens,
    costUsd: costUsd + (usage.cost_usd ?? 0),
  };
}

/** Adds the usage that an event records, and changes nothing else. */
export function addUsageOf(draft: Pick<Draft, 'usage'>, { kind, payload }: ExecutionEvent): void {
  if (kind === 'WorkflowStarted') addUsage(draft, payload.carried?.usage);
  else if (kind === 'StepRecorded') {
    for (const usage of usagesOfSteps(payload)) addUsage(draft, usage);
  } else if ('usage' in payload) addUsage(draft, payload.usage);
}
