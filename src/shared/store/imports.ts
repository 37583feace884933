import type { ImportedExecution, RecordedImport } from '../domain/audit/imported-executions.ts';
import type { RetiredExecution } from '../domain/audit/retired-executions.ts';
import type { DocumentedEvent } from '../domain/execution/document/execution-document.ts';
import type { Labels } from '../domain/execution/labels/labels.ts';
import type { TerminalStatus } from '../domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { KeptFailure } from './commit.ts';

/**
 * Executions that came in a file. Their events bear the times they were recorded at elsewhere, so they
 * are no items of the audit log and lie in no window of it; the entry of the import vouches for them.
 */
export interface ImportStore {
  /**
   * One transaction: the execution, its history, its definition where that is not known, the record of the
   * import and the entry in the audit log, or nothing. Nothing else is written: no work, no timer, no
   * message to a webhook, no use of models.
   */
  add(importing: Importing): Promise<ImportVerdict>;
  /** How the tenant has come by those of these executions that were imported: the last time, of each. */
  find(params: {
    readonly tenantId: TenantId;
    readonly executionIds: readonly ExecutionId[];
  }): Promise<readonly ImportedExecution[]>;
  /** The remaining record of an execution that was removed and not imported again; null: none. */
  removal(executionId: ExecutionId): Promise<RetiredExecution | null>;
}

/**
 * `there`: an execution of any tenant has this id · `left`: what is left of an earlier removal is not what
 * was said of it · `definition`: another has its id · `parent`: its parent is another tenant's · `ahead`: by
 * its id or its end it is of a time to come, by more than clocks differ.
 */
export type ImportVerdict = 'imported' | 'there' | 'left' | 'definition' | 'parent' | 'ahead';

/** Two installations may differ by so much. */
export const AHEAD_MS_MAX = 300_000;

/** All of it has been checked. */
export interface Importing extends Pick<RecordedImport, 'documentSha256' | 'eventHashes'> {
  /** UUIDv7: of the entry in the audit log. */
  readonly importId: string;
  readonly tenantId: TenantId;
  readonly actorId: string;
  /** Fields of the entry. */
  readonly told: JsonObject;
  /** The removal that is taken back, by `removal`. */
  readonly retirementId: string | null;
  readonly execution: ArrivingExecution;
  /**
   * Hashes of the artifacts that its events refer to, recorded because no scan reads these events.
   */
  readonly artifacts: readonly string[];
  readonly events: readonly (Omit<DocumentedEvent, 'payload'> & { readonly payload: string })[];
  /** Stored where no definition has its id. */
  readonly definition: ArrivingDefinition;
  /** The encoded state after the last event; null: not worth keeping. */
  readonly snapshot: string | null;
}

export interface ArrivingExecution {
  readonly executionId: ExecutionId;
  readonly parentExecutionId: ExecutionId | null;
  readonly status: TerminalStatus;
  readonly shard: number;
  readonly priority: number;
  readonly error: string | null;
  /** The cause of that failure, for lists; null: it has not failed. */
  readonly failure: KeptFailure | null;
  readonly labels: Labels;
  /** ISO 8601 UTC with milliseconds, as the first and the last event bear it. */
  readonly createdAt: string;
  readonly completedAt: string;
}

export interface ArrivingDefinition {
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly version: string;
  readonly revision: number;
  readonly irHash: string;
  readonly ir: JsonObject;
}
