import type { Mapping } from '../../domain/expression/mapping.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { CallQuota } from '../../domain/workflow/flow/call-quota.ts';
import type { ModelPart } from '../../domain/workflow/parse/parts.ts';
import type { OfferedTool } from './read-offered-tools.ts';
import type { Prompt } from './read-prompt.ts';

export interface ModelSpec {
  readonly model: ModelPart;
  readonly systemPrompt: Prompt | null;
  /** Null: there are messages, or the input or its `messages` are what is asked. */
  readonly prompt: Prompt | null;
  /** The conversation before the prompt. */
  readonly messages: Mapping | null;
  readonly tools: readonly OfferedTool[];
  readonly outputSchema: JsonObject | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly stream: boolean;
  readonly quota: CallQuota;
}
