export type {
  ApprovalDecision,
  Branch,
  ChildOptions,
  FunctionContext,
  Settled,
  StepContext,
  StepOptions,
} from './context.ts';
export {
  defineFunction,
  type DurableFunction,
  type FunctionOptions,
  type FunctionWorkflow,
  type FunctionWorkflowOptions,
  type ServedFunction,
} from './define-function.ts';
export type { Duration } from '../duration.ts';
export {
  BudgetExceededError,
  ChildError,
  ContinueAsNewError,
  FunctionLimitError,
  NonDeterminismError,
  StepError,
  WaitTimeoutError,
} from './errors.ts';
export type { ModelUsage } from './model-usage.ts';
export type { TokenBudget } from '../workflow/parts/limits.ts';
export type { StepRetry } from './retry.ts';
export type { FunctionRef } from '../function-ref.ts';
