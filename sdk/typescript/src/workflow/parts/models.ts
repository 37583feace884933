import { refuseUnknown, type Known } from '../../known-options.ts';
import { isExpression, type Expression } from '../expression.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';
import { CALL_QUOTA, type CallQuota } from './call-quota.ts';
import {
  writeRetryChoice,
  type BuiltInRetryPolicy,
  type Duration,
  type RetryPolicy,
} from './limits.ts';

/** A language model. `Retry`: the names of the definition's retry policies. */
export interface Model<Retry extends string = string> extends CallQuota {
  /** `openai`, `anthropic`, `google`, `ollama`, or one that the operator configures. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** 0 to 2. */
  readonly temperature?: number;
  /** Most tokens of an answer. */
  readonly maxTokens?: number;
  /** Longest time of a call. Default 300 s. */
  readonly timeout?: Duration;
  /** For steps without a retry policy of their own. */
  readonly retryPolicy?: Retry | BuiltInRetryPolicy | RetryPolicy;
  readonly description?: string;
  readonly labels?: JsonValue;
}

const MODEL: Known<Model> = {
  ...CALL_QUOTA,
  provider: true,
  model: true,
  baseUrl: true,
  temperature: true,
  maxTokens: true,
  timeout: true,
  retryPolicy: true,
  description: true,
  labels: true,
};

export function writeModel(model: Model): JsonObject {
  refuseUnknown(model, MODEL, 'a model');
  return dropAbsent({
    provider: model.provider,
    model: model.model,
    base_url: model.baseUrl,
    temperature: model.temperature,
    max_tokens: model.maxTokens,
    timeout_secs: model.timeout,
    retry_policy: writeRetryChoice(model.retryPolicy),
    concurrency: model.concurrency,
    rate: model.rate,
    description: model.description,
    labels: model.labels,
  });
}

/** A name of `models`, `provider/model`, or a model. */
export type ModelChoice<Name extends string> = Name | `${string}/${string}` | Model;

export function writeModelChoice(choice: string | Model | undefined): JsonValue | undefined {
  return typeof choice === 'object' ? writeModel(choice) : choice;
}

/** Text with `{{ expression }}` in it, or the text with more to say about it. */
export type NamedPrompt =
  string | { readonly text: string; readonly description?: string; readonly labels?: JsonValue };

export function writeNamedPrompt(prompt: NamedPrompt): JsonValue {
  if (typeof prompt === 'string') return prompt;
  const { text, description, labels } = prompt;
  return dropAbsent({ text, description, labels });
}

/** A text in which svc puts values: what `prompt` makes. */
export interface PromptText {
  readonly '~kind': 'prompt';
  readonly '~text': string;
}

/** The question to a model: text, or an expression that gives it. */
export type Prompt = string | PromptText | Expression;

/** A text with expressions in it: prompt`Answer this: ${state.message}`. Text values are inserted unchanged, others as JSON. */
export function prompt(text: TemplateStringsArray, ...values: readonly Expression[]): PromptText {
  const parts = text.map((part, index) => {
    const value = values[index];
    return value === undefined ? part : `${part}{{ ${value['~cel']} }}`;
  });
  return { '~kind': 'prompt', '~text': parts.join('') };
}

export function writePrompt(value: Prompt | undefined): JsonValue | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return isExpression(value) ? value['~mapping'] : value['~text'];
}
