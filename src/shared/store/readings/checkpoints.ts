import type { ExecutionId, TenantId } from '../../domain/ids.ts';

/**
 * The folded states of long histories. A reader keeps them for the next reader of any process. They
 * go with their execution.
 */
export interface CheckpointStore {
  /** The last one before a sequence; null: there is none. */
  lastBefore(params: {
    readonly executionId: ExecutionId;
    readonly tenantId: TenantId;
    readonly sequence: number;
  }): Promise<Checkpoint | null>;
  /** Changes nothing if the execution has gone, or has one at this sequence. */
  keep(checkpoint: NewCheckpoint): Promise<void>;
}

export interface Checkpoint {
  readonly sequence: number;
  readonly body: string;
}

export interface NewCheckpoint extends Checkpoint {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
}
