import type { DefinitionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { WaitLimits } from '../domain/workflow/flow/limits-in-force.ts';
import type { StandingPause } from '../domain/workflow/workflow-pause.ts';

export interface DefinitionStore {
  /**
   * Same id, version and hash as the newest revision: that revision. Else a new revision. Null when
   * the id is new and the tenant has `workflowsMax` others, counted exactly.
   */
  register(params: {
    readonly definitionId: DefinitionId;
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string;
    readonly irHash: string;
    readonly ir: JsonObject;
    readonly actorId: string;
    /** Absent: no limit. */
    readonly workflowsMax?: number | null;
    /** Count for all executions of the workflow that wait, until another revision is registered; absent: each has its own. */
    readonly waitLimits?: WaitLimits;
  }): Promise<DefinitionRow | null>;
  /** Also one that came with an imported execution, which nothing else here ever answers. */
  find(id: DefinitionId): Promise<StoredDefinition | null>;
  /** Newest revision of that version, or of the version registered last when `version` is null. */
  findLatest(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<StoredDefinition | null>;
  /**
   * The same by its id alone, for the hot path: what the id stands for never changes. Whether the
   * workflow is paused comes with it.
   */
  latestId(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<LatestId | null>;
  /** The newest revision of each workflow and version, newest first. */
  list(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string | null;
    /** Only definitions registered before this one (keyset paging); absent: from the newest. */
    readonly after?: DefinitionId | null;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly DefinitionRow[]>;
  /** The workflows whose definition registered last has `expose.a2a`, by their ids. */
  listExposed(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
  }): Promise<readonly ExposedWorkflow[]>;
}

export interface LatestId {
  readonly definitionId: DefinitionId;
  /** Null: none stands. */
  readonly workflowPause: StandingPause | null;
}

/** A workflow's description of itself for other agents. */
export interface ExposedWorkflow {
  readonly workflowId: string;
  readonly version: string;
  readonly name: string | null;
  readonly description: string | null;
}

export interface DefinitionRow {
  readonly definitionId: DefinitionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly version: string;
  /** From 1, per workflow and version. */
  readonly revision: number;
  readonly irHash: string;
  readonly createdAt: string;
}

export interface StoredDefinition extends DefinitionRow {
  readonly ir: JsonObject;
}
