/** The entries that need nothing but this package, in one import. */
export * from './client/index.ts';
export * from './worker/index.ts';
export * from './workflow/index.ts';
// Entries use some names for things of their own: here they mean these.
export type { Duration } from './duration.ts';
export type { RetryPolicy } from './client/index.ts';
export type { StepContext } from './worker/index.ts';
