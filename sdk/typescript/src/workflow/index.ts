export type { FunctionRef } from '../function-ref.ts';
export { workflow } from './workflow.ts';
export type { EdgeOptions, Workflow, WorkflowBuilder } from './builder.ts';
export { at, cel, type Expression, type Ref } from './expression.ts';
export type { WorkflowIr } from './ir-types.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { literal, raw, type AnyMapping, type Mappable } from './mapping.ts';
export { and, eq, ge, gt, le, lt, ne, not, or, orElse, present, unchecked } from './operators.ts';
export type { ContinueAsNew, Expose, WorkflowOptions } from './options.ts';
// Functions and the client have durations in milliseconds, and retry policies and contexts of their own.
export type {
  Duration as StepDuration,
  RetryPolicy as StepRetryPolicy,
  Timeouts,
  TokenBudget,
} from './parts/limits.ts';
export { prompt, type Model, type NamedPrompt } from './parts/models.ts';
export type { DataPolicy, Policy, PolicyRule, PolicyRules } from './parts/policies.ts';
export type { Check, Scorer } from './parts/scorers.ts';
export type { Auth, McpServer, RemoteAgent } from './parts/servers.ts';
export { httpTool, mcpTool, pythonTool, type Tool } from './parts/tools.ts';
export { jsonSchema, typeOnly, type InferSchema, type JsonSchema, type Schema } from './schema.ts';
export type { Step } from './steps/step.ts';
export type { StepContext as WorkflowStepContext } from './steps/step-context.ts';
