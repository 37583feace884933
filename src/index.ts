/**
 * The runtime for programs: `openRuntime` runs the engine, the scheduler's loops and the API in the
 * caller's process. `svc serve` and `svc dev` are the same runtime as commands.
 */
export { openRuntime, type Runtime, type RuntimeOptions } from './runtime/open-runtime.ts';
export type { FetchInProcess } from './runtime/fetch-in-process.ts';
export type { RunnableKind } from './shared/nodes/runnable-kind.ts';
export { ConfigError } from './shared/config/config-error.ts';
export { StartError } from './runtime/start-error.ts';
