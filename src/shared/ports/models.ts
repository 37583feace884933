import type { TenantId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';

/** Language models of any provider. */
export interface ModelClient {
  /**
   * Asks a model once: nothing is tried again. Never rejects for what a provider can do, only with
   * the reason of `signal`, or with what `onText` threw.
   */
  call(params: ModelCall): Promise<ModelAnswer | ModelFailure>;
}

export interface ModelCall {
  /** The tenant and caller of the answer's check; null: no schema is given, so no check. */
  readonly tenantId: TenantId | null;
  /** `openai`, `anthropic`, `google`, `ollama`, or one that the operator has configured. */
  readonly provider: string;
  readonly model: string;
  /** Where a workflow wants the provider to be; null: where the operator says, or its own. */
  readonly baseUrl: string | null;
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
  /** The model may ask for calls of these; nobody makes them here. */
  readonly tools?: readonly ModelTool[];
  /** JSON Schema that the answer has to satisfy; null: any text. */
  readonly schema?: JsonObject | null;
  readonly temperature?: number | null;
  readonly maxTokens?: number | null;
  /** For all of it, a streamed answer to its end. */
  readonly timeoutMs: number;
  /** Sent along where the provider takes one, so that it can tell a repeated call from a new one. */
  readonly idempotencyKey?: string | null;
  readonly signal: AbortSignal;
  /** Makes the answer a streamed one; awaited before more is read. */
  readonly onText?: ((text: string) => Promise<void>) | null;
}

export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ModelToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly name: string;
      readonly result: JsonValue;
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments, an object. */
  readonly inputSchema: JsonObject;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface ModelAnswer {
  readonly ok: true;
  readonly text: string;
  /** The parsed text, if a schema was given and the model called no tool; else null. */
  readonly object: JsonValue;
  readonly toolCalls: readonly ModelToolCall[];
  /** `stop`, `length`, `tool_calls` or `other`. */
  readonly finishReason: string;
  readonly usage: ModelUsage;
  /** As the provider names it. */
  readonly model: string;
}

/** Zero where the provider tells nothing. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null: the price of the model is not known, or the tokens are not. */
  readonly costUsd: number | null;
}

/** `error` is in our words and goes into events: nothing of what the provider wrote is in it. */
export interface ModelFailure {
  readonly ok: false;
  readonly error: string;
  readonly errorClass: ModelErrorClass;
  /** Another call would end the same. */
  readonly final: boolean;
  /** When the provider wants to be asked again. */
  readonly retryAfterMs?: number;
  /** The usage of an answer that cannot be used. */
  readonly usage?: ModelUsage;
}

export type ModelErrorClass =
  | 'unauthorized'
  | 'rate_limited'
  | 'timeout'
  | 'unreachable'
  | 'refused_address'
  | 'http_4xx'
  | 'http_5xx'
  | 'invalid_response'
  | 'too_large'
  | 'content_filter'
  | 'invalid_input';
