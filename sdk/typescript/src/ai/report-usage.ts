import type { StepContext } from '../functions/context.ts';
import { isRecord } from '../is-record.ts';
import type { ModelStreamPart } from './durable-model.ts';

/** Reports the tokens of a model call, as far as the provider says them. */
export function reportUsage(
  step: StepContext,
  { model, usage }: { readonly model: string; readonly usage: unknown },
): void {
  if (!isRecord(usage)) return;
  const inputTokens = totalOf(usage['inputTokens']);
  const outputTokens = totalOf(usage['outputTokens']);
  if (inputTokens === null && outputTokens === null) return;
  step.reportUsage({ model, inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 });
}

/** The usage in the last part of a stream. */
export function usageIn(parts: readonly ModelStreamPart[]): unknown {
  const finish = parts.findLast(({ type }) => type === 'finish');
  return finish !== undefined && 'usage' in finish ? finish.usage : null;
}

/** The answer of the model counts, even if its provider tells no proper amount. */
function totalOf(tokens: unknown): number | null {
  const total = isRecord(tokens) ? tokens['total'] : null;
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : null;
}
