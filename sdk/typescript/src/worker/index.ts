export { createWorker, type Worker } from './create-worker.ts';
export type { WorkerClock, WorkerOptions } from './worker-options.ts';
export { defineTool, type WorkerTool, type ToolContext } from './define-tool.ts';
export {
  CancelledError,
  LeaseLostError,
  NonRetryableError,
  SerializationError,
  ShutdownError,
  WorkerRefusedError,
} from './errors.ts';
export type { Labels } from './labels.ts';
export { RetryAfter } from './retry-after.ts';
export { createJsonLogger, silentLogger, type Logger, type LogFields } from './logger.ts';
export * from '../functions/index.ts';
