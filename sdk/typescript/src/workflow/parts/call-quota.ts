import type { Known } from '../../known-options.ts';

/** Limits for the calls of a tool or a model, in all executions of the tenant. */
export interface CallQuota {
  /** How many calls are under way at a time; `key` is an expression over `input`. */
  readonly concurrency?: { readonly key?: string; readonly limit: number };
  /** How many calls begin in each `per`, such as "1m"; at most `burst` at once. */
  readonly rate?: {
    readonly key?: string;
    readonly limit: number;
    readonly per: string | number;
    readonly burst?: number;
  };
}

export const CALL_QUOTA: Known<CallQuota> = { concurrency: true, rate: true };
