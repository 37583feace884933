import { evaluateMapping } from '../../domain/expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { policyNames, readModelPart } from '../../domain/models/read-model-part.ts';
import type {
  EnterContext,
  Entry,
  ExpressionScope,
  ParseContext,
} from '../../domain/workflow/plan/plan.ts';
import {
  hasQuota,
  queueOfEngineCall,
  quotaFields,
  readCallQuota,
} from '../../domain/workflow/flow/call-quota.ts';
import {
  anyOf,
  anything,
  flag,
  list,
  number,
  object,
  ref,
  text,
  wholeNumber,
  word,
  type FieldSchemas,
} from '../../domain/workflow/schema/fields.ts';
import { modelFields } from '../../domain/workflow/schema/part-fields.ts';
import type { ModelMessage } from '../../ports/models.ts';
import { coordinates, evaluateInput } from '../enter-work.ts';
import { failExpression, failValue } from '../fail-entry.ts';
import { readMapping, readOutputSchema, readText } from '../read-fields.ts';
import { readFlag } from '../read-flag.ts';
import { isConversation, readMessages, writeMessage } from './read-messages.ts';
import { readOfferedTools } from './read-offered-tools.ts';
import { evaluatePrompt, readPrompt, showInPrompt, type Prompt } from './read-prompt.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createModelRunner } from './run.ts';
import type { ModelSpec } from './spec.ts';

const TOOL_FIELDS: FieldSchemas = {
  name: text('Up to 64 letters, digits, underscores and hyphens.'),
  description: text('Description for the model.'),
  parameters: ref('JsonSchema', 'Schema of its arguments, as in the APIs of OpenAI.'),
};

/**
 * Asks a model. Prompts are evaluated when the node is entered, so that their errors fail the node
 * before any call; `model/run.ts` makes the call.
 */
export const modelKind: RunnableKind<ModelSpec> = {
  type: 'model',
  aliases: [],
  fields: {
    ...modelFields(),
    base_url: text('Address for `model` beside `provider`.'),
    prompt: ref('Prompt', 'The question to the model.'),
    prompt_ref: ref(
      'TextOrPath',
      'Instead of `prompt`: one of `prompts` by name, a path, or the text itself.',
    ),
    system_prompt: ref('Prompt', 'Instructions for the model.'),
    messages: ref('Mapping', 'The conversation before the prompt.'),
    tools: list(
      'Tools that the model may request.',
      anyOf('One of `tools` by name, or a tool.', [
        { type: 'string' },
        object('A tool. `type` and `function` are as in the APIs of OpenAI.', {
          ...TOOL_FIELDS,
          input_schema: ref('JsonSchema', 'Schema of its arguments.'),
          type: word('For tools as in the APIs of OpenAI.', ['function']),
          strict: anything('For tools as in the APIs of OpenAI; without effect.'),
          function: anyOf('The tool, as in Chat Completions.', [
            object('The tool.', {
              ...TOOL_FIELDS,
              strict: anything('Without effect.'),
            }),
          ]),
        }),
      ]),
    ),
    output_schema: ref('SchemaOrReference', 'The answer must satisfy it.'),
    temperature: number('How free the answer is. Default: that of the model.', {
      minimum: 0,
      maximum: 2,
    }),
    max_tokens: wholeNumber('Most tokens of the answer.', { minimum: 1, maximum: 10_000_000 }),
    stream: flag('Whether the text is recorded as it comes.'),
    ...quotaFields('this model'),
  },
  leaf: true,
  toolLike: false,

  parse(fields, at) {
    const { models } = at.parts;
    const problem = (pointer: string, message: string) => at.problem(pointer, message);
    const model = readModelPart(fields, { models, problem });
    const systemPrompt = readOptionalPrompt(fields, 'system_prompt', at);
    const prompt = readAsked(fields, at);
    const messages = readMapping(fields, 'messages', at);
    const tools = readOfferedTools(fields['tools'] ?? [], at);
    const outputSchema = readOutputSchema(fields, at);
    warnOfSchema(outputSchema, at);
    const temperature = readNumber(fields, { name: 'temperature', max: 2, isWhole: false }, at);
    const maxTokens = readNumber(
      fields,
      { name: 'max_tokens', max: 10_000_000, isWhole: true },
      at,
    );
    const stream = readFlag(fields, 'stream', at);
    const { concurrency, rate } = readCallQuota(fields, at);
    if (model === null) return null;
    return {
      model,
      systemPrompt,
      prompt,
      messages,
      tools,
      outputSchema,
      temperature: temperature ?? model.temperature,
      maxTokens: maxTokens ?? model.maxTokens,
      stream,
      quota: {
        concurrency: concurrency ?? model.quota?.concurrency ?? null,
        rate: rate ?? model.quota?.rate ?? null,
      },
    };
  },

  asks: ({ model: { model: name, provider } }) => ({ name, provider }),
  model: (spec) => policyNames(spec.model),
  retryPolicy: (spec) => spec.model.retryPolicy,
  outputSchema: (spec) => spec.outputSchema,
  hasQuota: ({ quota }) => hasQuota(quota),
  queueOfCall: queueOf,

  writes: () => ['last_model_output', 'last_model_finish_reason', 'last_model_tool_calls'],

  runner: createModelRunner,

  enter(spec, context) {
    const input = evaluateInput(context);
    if (!input.ok) return failExpression(input.message);
    const waits = queueOf(spec, input.value);
    if (!waits.ok) return failExpression(waits.message);
    const scope = scopeOf(context, input.value);
    const system = spec.systemPrompt && evaluatePrompt(spec.systemPrompt, scope);
    if (system !== null && !system.ok) return failExpression(system.message);
    const prompt = spec.prompt && evaluatePrompt(spec.prompt, scope);
    if (prompt !== null && !prompt.ok) return failExpression(prompt.message);
    const before = spec.messages && evaluateMapping(spec.messages, scope);
    if (before !== null && !before.ok) return failExpression(before.message);
    const isBare = prompt === null && before === null;
    const held = isBare ? conversationIn(input.value) : null;
    const said = readMessages(before?.value ?? held ?? []);
    if (!said.ok) return failValue(said.problem);
    const messages = [...said.messages];
    const asked = prompt?.text ?? (isBare && held === null ? showInPrompt(input.value) : null);
    if (asked !== null) messages.push({ role: 'user', text: asked });
    if (!messages.some(saysSomething)) return failValue('there is nothing to ask the model');
    return enterCall(context, { input: input.value, system: system?.text ?? null, messages });
  },
};

/** Limits count calls by the provider and the model, as policies name them. */
function queueOf({ model, quota }: ModelSpec, input: JsonValue) {
  return queueOfEngineCall({ ...quota, tool: policyNames(model)[0] ?? model.model }, input);
}

function warnOfSchema(schema: JsonObject | null, at: ParseContext): void {
  const type = schema?.['type'] ?? 'object';
  if (type !== 'object')
    at.warn('not_portable', '/output_schema', 'providers may take schemas of objects only');
}

function enterCall(
  context: EnterContext,
  call: {
    readonly input: JsonValue;
    readonly system: string | null;
    readonly messages: readonly ModelMessage[];
  },
): Entry {
  const payload = {
    ...coordinates(context),
    system: call.system === '' ? null : call.system,
    messages: call.messages.map(writeMessage),
    // The outputs of items go to their map, and no item is the last one to write the state.
    is_item: (context.item ?? null) !== null,
  };
  return { do: 'work', queue: 'engine', input: call.input, payload };
}

/** In prompts `input` is what `input_mapping` gives, where there is one. */
function scopeOf({ node, scope }: EnterContext, input: JsonValue) {
  return node.inputMapping === null
    ? scope
    : { ...scope, input: input as ExpressionScope['input'] };
}

/** `messages` of the input, which without a mapping is the state; null: it holds no conversation. */
function conversationIn(input: JsonValue): JsonValue {
  const messages = isJsonObject(input) ? (input['messages'] ?? null) : null;
  return isConversation(messages) ? messages : null;
}

function saysSomething(message: ModelMessage): boolean {
  return message.role === 'tool' || ('text' in message && message.text.trim() !== '');
}

function readOptionalPrompt(fields: JsonObject, name: string, at: ParseContext): Prompt | null {
  const value = fields[name] ?? null;
  return value === null || value === '' ? null : readPrompt(value, `/${name}`, at);
}

/** `prompt`, or `prompt_ref`: the name of one of the workflow's `prompts`, a path, or the text itself. */
function readAsked(fields: JsonObject, at: ParseContext): Prompt | null {
  const ref = readText(fields, 'prompt_ref', at);
  if (ref === null) return readOptionalPrompt(fields, 'prompt', at);
  if ((fields['prompt'] ?? '') !== '') {
    at.problem('/prompt_ref', 'stands beside prompt: give one of them');
    return null;
  }
  const known = at.parts.prompts.get(ref);
  if (known !== undefined) return readPrompt(known, '/prompt_ref', at);
  const path = readMapping(fields, 'prompt_ref', at);
  if (path?.kind === 'path') return { kind: 'mapping', mapping: path };
  // A name has no white space, so a text of several words cannot be a misspelt one.
  if (/\s/.test(ref.trim())) return readPrompt(ref, '/prompt_ref', at);
  const message = `no prompt ${JSON.stringify(ref)} is in prompts, and it is neither a path such as $.question nor a text of several words`;
  at.problem('/prompt_ref', message);
  return null;
}

function readNumber(
  fields: JsonObject,
  of: { readonly name: string; readonly max: number; readonly isWhole: boolean },
  at: ParseContext,
): number | null {
  const { name, max, isWhole } = of;
  const value = fields[name] ?? null;
  if (value === null) return null;
  const min = isWhole ? 1 : 0;
  const fits = typeof value === 'number' && value >= min && value <= max;
  if (fits && (!isWhole || Number.isInteger(value))) return value;
  at.problem(`/${name}`, `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`);
  return null;
}
