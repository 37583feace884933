import { refuseUnknown, type Known } from '../../known-options.ts';
import type { Expression } from '../expression.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';
import { writeOptionalMapping, type Mappable } from '../mapping.ts';
import { CALL_QUOTA, type CallQuota } from '../parts/call-quota.ts';
import { writeModelChoice, writePrompt, type ModelChoice, type Prompt } from '../parts/models.ts';
import { writeScorer, type Scorer } from '../parts/scorers.ts';
import { readSchema, type Schema } from '../schema.ts';
import type { AnyShape, Effects, End, Shape, StepId } from '../shape.ts';
import {
  createStep,
  type AnyInput,
  type Gives,
  type Own,
  type Step,
  type StepOptions,
  type UnderKey,
} from './step.ts';

/** A call that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'other';

/** The output of a model step. `object` needs an `outputSchema`; it is null when the model asked for a call instead. */
export interface ModelOutput<Answer> {
  readonly text: string;
  readonly object: Answer | null;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: FinishReason;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number | null;
  };
  readonly model: string;
}

/** It writes the answer of the latest model step under keys of its own too. */
interface Asks<Answer, Key extends string, Fallback extends string> extends Effects {
  readonly output: ModelOutput<Answer>;
  readonly writes: UnderKey<Key, ModelOutput<Answer>>;
  readonly adds: UnderKey<Key, ModelOutput<Answer>> & {
    readonly last_model_output: unknown extends Answer ? string : Answer;
    readonly last_model_finish_reason: FinishReason;
    readonly last_model_tool_calls: readonly ToolCall[];
  };
  readonly targets: Fallback;
}

/** A message of the conversation before the prompt. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** A tool that only this step offers. */
export interface OfferedTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Schema;
}

interface ModelOptions<S extends Shape, Answer, Key extends string, Fallback extends string>
  extends StepOptions<S, Key, Fallback>, CallQuota, AnyInput {
  /** A name of `models`, `provider/model`, or a model. */
  readonly model: ModelChoice<S['names']['models']>;
  /** Sent as the user. Text may hold `{{ expression }}`. */
  readonly prompt?: Prompt;
  /** In place of `prompt`: a name of `prompts`. */
  readonly promptRef?: S['names']['prompts'];
  /** Instructions for the model. */
  readonly systemPrompt?: Prompt;
  /** The conversation before the prompt. */
  readonly messages?: Expression | readonly Mappable<Message>[];
  /** The tools that the model may call: names of `tools`, or tools in place. */
  readonly tools?: readonly ((keyof S['names']['tools'] & string) | OfferedTool)[];
  /** The answer must satisfy it. It also gives the type of `object`. */
  readonly outputSchema?: Schema<Answer>;
  /** 0 to 2. */
  readonly temperature?: number;
  /** Most tokens of the answer. */
  readonly maxTokens?: number;
  /** Whether to record the text as it arrives. Default false. */
  readonly stream?: boolean;
}

/** The reaction to an evaluation that does not pass. */
export type OnFail<Known extends string, Target extends string> =
  | 'fail'
  | 'warn'
  | 'retry'
  | { readonly retry: { readonly target: Known } }
  | { readonly branch: { readonly target: Target | End } };

/** The result of an evaluation. */
export interface EvalOutput {
  readonly passed: boolean;
  readonly score: number;
  readonly scorers: readonly {
    readonly name: string;
    readonly type: string;
    readonly score: number;
    readonly passed: boolean;
    readonly reason: string;
  }[];
}

interface EvalOptions<
  S extends Shape,
  Target extends string,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  readonly scorers: readonly Scorer<S['names']['models']>[];
  /** The value to judge, which checks see as `output`. Default: the output of the step before. */
  readonly inputExpr?: Expression;
  /** Default `fail`. `retry` goes back to a step above this one. */
  readonly onFail?: OnFail<StepId<S>, Target>;
  /** How often `retry` goes back, 0 to 1 000. Default 3. */
  readonly maxRetries?: number;
}

/** Steps that ask models, and judge what they answer. */
export interface ModelSteps<S extends Shape> {
  /** Asks a language model, once for each attempt. */
  readonly model: <Answer = unknown, Key extends string = never, Fallback extends string = never>(
    options: ModelOptions<S, Answer, Key, Fallback>,
  ) => Step<Asks<Answer, Key, Fallback>>;

  /** Scores an output. */
  readonly eval: <
    Target extends string = never,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options: EvalOptions<S, Target, Key, Fallback>,
  ) => Step<Gives<EvalOutput, Key, Exclude<Target, End> | Fallback>>;
}

const MODEL: Own<ModelOptions<AnyShape, unknown, string, string>> = {
  model: true,
  prompt: true,
  promptRef: true,
  systemPrompt: true,
  messages: true,
  tools: true,
  outputSchema: true,
  temperature: true,
  maxTokens: true,
  stream: true,
  ...CALL_QUOTA,
};
const OFFERED: Known<OfferedTool> = { name: true, description: true, inputSchema: true };
const EVAL: Own<EvalOptions<AnyShape, string, string, string>> = {
  scorers: true,
  inputExpr: true,
  onFail: true,
  maxRetries: true,
};

export const modelSteps: ModelSteps<AnyShape> = {
  model({ model, prompt, promptRef, systemPrompt, messages, ...rest }) {
    const { tools, outputSchema, temperature, maxTokens, stream, ...others } = rest;
    const { concurrency, rate, ...options } = others;
    const kind = {
      type: 'model',
      model_ref: writeModelChoice(model),
      prompt: writePrompt(prompt),
      prompt_ref: promptRef,
      system_prompt: writePrompt(systemPrompt),
      messages: writeOptionalMapping(messages),
      tools: tools?.map((tool) => (typeof tool === 'string' ? tool : writeOffered(tool))),
      output_schema: readSchema(outputSchema, 'the answer of a model'),
      temperature,
      max_tokens: maxTokens,
      stream,
      concurrency,
      rate,
    };
    return createStep(kind, options, { own: MODEL });
  },

  eval({ scorers, inputExpr, onFail, maxRetries, ...options }) {
    const kind = {
      type: 'eval',
      scorers: scorers.map(writeScorer),
      input_expr: inputExpr?.['~cel'],
      on_fail: onFail,
      max_retries: maxRetries,
    };
    return createStep(kind, options, { own: EVAL, targets: targetsOf(onFail) });
  },
};

function writeOffered(offered: OfferedTool): JsonObject {
  const { name, description, inputSchema } = offered;
  refuseUnknown(offered, OFFERED, `the tool ${name} of model()`);
  const input_schema = readSchema(inputSchema, `the tool ${name}`);
  return dropAbsent({ name, description, input_schema });
}

function targetsOf(onFail: OnFail<string, string> | undefined): readonly string[] {
  if (typeof onFail !== 'object') return [];
  return ['retry' in onFail ? onFail.retry.target : onFail.branch.target];
}
