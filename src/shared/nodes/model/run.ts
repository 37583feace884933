import { violationText } from '../../domain/execution/judge-work.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { replaceInPatch } from '../../domain/models/replace-in-patch.ts';
import { policyNames } from '../../domain/models/read-model-part.ts';
import type { ModelAnswer, ModelClient, ModelTool } from '../../ports/models.ts';
import { judgeAskedCalls } from './judge-asked-calls.ts';
import { keepAnswer, type KeptAnswer, readKeptAnswer } from './keep-answer.ts';
import type { ModelSpec } from './spec.ts';
import { readMessages, writeCalls } from './read-messages.ts';
import { createTextRecorder } from './record-text.ts';
import type { NodeCall, NodeOutcome, NodeRunner } from '../run.ts';

export interface ModelRunnerDeps {
  readonly models: ModelClient;
  /** Milliseconds that only go forward, for the pace of streamed text. */
  readonly now: () => number;
}

/** Asks the model of a `model` node, once for each attempt. */
export function createModelRunner(deps: ModelRunnerDeps): NodeRunner<ModelSpec> {
  return { run: (call) => runModel(deps, call) };
}

const TIMEOUT_MS = 300_000;

async function runModel(
  { models, now }: ModelRunnerDeps,
  call: NodeCall<ModelSpec>,
): Promise<NodeOutcome> {
  const { spec } = call;
  const { model } = spec;
  const names = policyNames(model);
  if (call.policy.judgeModel(names) === 'blocked') {
    return failForGood(`the policy does not allow the model ${names[0]}`, 'policy_violation');
  }
  const kept = readKeptAnswer(call);
  if (kept !== null) return settle(kept.answer, { call, spec, kept });
  const { system = null, messages = [] } = call.payload;
  const said = readMessages(messages);
  if (!said.ok) return failForGood(said.problem, 'invalid_input');
  const tools = spec.tools.filter(({ names }) => call.policy.judgeTool(...names).is !== 'blocked');
  if (call.retainPrompts) await recordPrompt(call, tools);
  const recorder = spec.stream ? createTextRecorder({ call, now }) : null;
  const answer = await models.call({
    tenantId: call.tenantId,
    provider: model.provider,
    model: model.model,
    baseUrl: model.baseUrl,
    system: typeof system === 'string' ? system : null,
    messages: said.messages,
    tools,
    schema: spec.outputSchema,
    temperature: spec.temperature,
    maxTokens: spec.maxTokens,
    timeoutMs: model.timeoutMs ?? TIMEOUT_MS,
    idempotencyKey: call.idempotencyKey,
    signal: call.signal,
    onText: recorder?.add ?? null,
  });
  if (!answer.ok) {
    const { error, errorClass, final, retryAfterMs, usage } = answer;
    return {
      ok: false,
      error,
      errorClass,
      final,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(usage !== undefined && { usage: { ...usage, model: model.model } }),
    };
  }
  await recorder?.flush();
  return settle(answer, { call, spec, kept: null });
}

/**
 * Ends the node with the answer once policies and people allow every call that it asks for. An answer
 * that waits for a person is recorded first, so that the model is not asked again.
 */
async function settle(
  answer: ModelAnswer,
  of: { readonly call: NodeCall; readonly spec: ModelSpec; readonly kept: KeptAnswer | null },
): Promise<NodeOutcome> {
  const { call, spec, kept } = of;
  const { finishReason, toolCalls } = answer;
  const used = { ...answer.usage, model: answer.model, finishReason };
  // The use was counted when the visit was parked for the first of its approvals.
  const isCounted = kept !== null && call.isApproved(kept.firstShown);
  const usage = isCounted ? {} : { usage: used };
  const judged = judgeAskedCalls(toolCalls, { offered: spec.tools, call });
  switch (judged.is) {
    case 'allowed':
      return {
        ok: true,
        output: toOutput(answer, spec),
        statePatch: call.payload['is_item'] === true ? {} : toPatch(answer, spec, call),
        ...usage,
      };
    case 'approval':
      if (kept === null) await keepAnswer(call, { answer, firstShown: judged.question.shown });
      return { ok: 'parked', until: { approval: judged.question }, ...usage };
    case 'blocked': {
      const { violation } = judged;
      const refused = failForGood(violationText(violation), 'policy_violation');
      return { ...refused, violation, ...usage };
    }
  }
}

/** For who has to show later what a model was asked; without a policy that says so it isn't kept. */
async function recordPrompt(call: NodeCall, tools: readonly ModelTool[]): Promise<void> {
  const { system = null, messages = [] } = call.payload;
  const data = { system, messages, tools: tools.map(({ name }) => name) };
  await call.record({ name: 'model_input', data, kept: false });
}

function toOutput(answer: ModelAnswer, { outputSchema }: ModelSpec): JsonObject {
  const { usage } = answer;
  return {
    text: answer.text,
    ...(outputSchema !== null && { object: answer.object }),
    tool_calls: writeCalls(answer.toolCalls),
    finish_reason: answer.finishReason,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
    model: answer.model,
  };
}

function toPatch(answer: ModelAnswer, { outputSchema }: ModelSpec, call: NodeCall): JsonObject {
  const { state } = call.scope;
  const isObject = outputSchema !== null && answer.toolCalls.length === 0;
  const output: JsonValue = isObject ? answer.object : answer.text;
  return {
    last_model_output: replaceInPatch(state['last_model_output'] ?? null, output),
    last_model_finish_reason: answer.finishReason,
    last_model_tool_calls: writeCalls(answer.toolCalls),
  };
}

function failForGood(error: string, errorClass: string) {
  return { ok: false, error, errorClass, final: true } as const;
}
