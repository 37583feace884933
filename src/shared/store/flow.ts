import type { ExecutionId, TenantId } from '../domain/ids.ts';

/**
 * Places of a key of concurrency. They are numbered from 1 to the limit of the execution that has
 * waited longest, and each number is given once. An execution keeps its place until it ends.
 */
export interface FlowStore {
  /** Keys that executions wait for; those with room come first. */
  listKeys(params: { readonly limit: number }): Promise<readonly WaitedKey[]>;
  /**
   * Takes back the places of what has ended, and gives free ones to those that have waited longest, at
   * most `limit` of them. Safe in several processes at once: a number that another gave is skipped.
   */
  admit(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly limit: number;
  }): Promise<readonly AdmittedExecution[]>;
  /** Null: the execution waits for no place. */
  find(executionId: ExecutionId): Promise<FlowWait | null>;
}

export interface AdmittedExecution {
  readonly executionId: ExecutionId;
  readonly shard: number;
  /** Since its start. */
  readonly waitedMs: number;
}

export interface WaitedKey {
  readonly tenantId: TenantId;
  readonly placeKey: string;
  readonly hasRoom: boolean;
}

export interface FlowWait {
  readonly placeKey: string;
  readonly placesMax: number;
  /** ISO instant. */
  readonly since: string;
  /** Executions that have waited longer, counted to `AHEAD_MAX`. */
  readonly ahead: number;
  /** Some of the executions that have the places, at most `HOLDERS_MAX`. */
  readonly holders: readonly ExecutionId[];
}

export const HOLDERS_MAX = 5;
