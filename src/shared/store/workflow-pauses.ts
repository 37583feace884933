import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { WorkflowPause } from '../domain/workflow/workflow-pause.ts';

/**
 * Pauses of whole workflows, and which executions each holds. A pause stands from `pause` on: starts
 * and readings of executions see it from then on. Executions are held, and given back, by their own
 * commits (`workflowHold` of a plan), which rest on whether the pause stands.
 */
export interface WorkflowPauseStore {
  /** An existing pause stays unchanged. Null: there is no such workflow. */
  pause(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    /** Id of a new pause; a UUID. */
    readonly pauseId: string;
    readonly actorId: string;
    readonly reason: string | null;
  }): Promise<WorkflowPause | null>;
  /** From now on it stands no more. Null: none stood. */
  resume(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly actorId: string;
  }): Promise<WorkflowPause | null>;
  /**
   * The pauses of these workflows, each with the number of executions that it holds, counted up to
   * `countMax`.
   */
  find(params: {
    readonly tenantId: TenantId;
    readonly workflowIds: readonly string[];
    readonly countMax: number;
  }): Promise<readonly (WorkflowPause & { readonly held: number })[]>;
  /** Pauses of all tenants, in the order of tenants and workflows. */
  list(params: {
    readonly after: { readonly tenantId: TenantId; readonly workflowId: string } | null;
    readonly limit: number;
  }): Promise<readonly WorkflowPause[]>;
  /** Live executions of the workflow that it does not hold, newest first. */
  listFree(params: {
    readonly pause: WorkflowPause;
    readonly status: 'running' | 'paused';
    readonly after: FreePosition | null;
    readonly limit: number;
  }): Promise<readonly FreePosition[]>;
  /** Executions that it holds, by id. */
  listHeld(params: {
    readonly pause: WorkflowPause;
    readonly after: ExecutionId | null;
    readonly limit: number;
  }): Promise<readonly ExecutionId[]>;
  /** All live executions are held. Does nothing where it has been resumed, or swept before. */
  noteSwept(pause: WorkflowPause): Promise<void>;
  /**
   * Takes these off the list of what it holds, without a word to them: they have ended. Does nothing
   * unless it is being resumed.
   */
  forget(pause: WorkflowPause, executionIds: readonly ExecutionId[]): Promise<void>;
  /** Removes the pause, if it is being resumed and holds nothing any more. */
  finish(pause: WorkflowPause): Promise<boolean>;
}

export interface FreePosition {
  readonly executionId: ExecutionId;
  readonly createdAt: string;
}
