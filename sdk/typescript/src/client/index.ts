export {
  createClient,
  type ClientOptions,
  type RunOptions,
  type StartOptions,
  type SvcClient,
} from './create-client.ts';
export type { Duration } from '../duration.ts';
export type { Environment } from './environment.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  ExecutionCancelledError,
  ExecutionFailedError,
  LimitError,
  NotFoundError,
  PermissionError,
  SvcError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from './errors.ts';
export type { Decision, ExecutionHandle, ResultOptions } from './execution-handle.ts';
export type { FollowEvents } from './follow-events.ts';
export type { Paged } from './paged.ts';
export type { StartEntry, StartManyOptions, StartVerdict } from './resources/start-many.ts';
export type { RetryPolicy } from './retry.ts';
export type { BuiltWorkflow, Startable, WorkflowReference } from './startable.ts';
export type { CallOptions } from './transport.ts';
export type {
  BodyOf,
  Execution,
  ExecutionEvent,
  ExecutionResult,
  ExecutionStatus,
  ExecutionSummary,
  OperationName,
  QueryOf,
  ReplyOf,
  WorkflowDefinition,
} from './wire.ts';
