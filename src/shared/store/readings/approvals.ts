import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { DefinitionId, ExecutionId, TenantId } from '../../domain/ids.ts';

/** The approvals of all executions of a tenant. Commits write them; see `rows/approval-changes.ts`. */
export interface ApprovalStore {
  /** Open ones, oldest first. */
  listOpen(params: ListApprovals): Promise<readonly ApprovalRow[]>;
  /** Decided ones, latest decision first. */
  listDecided(params: ListApprovals): Promise<readonly DecidedApprovalRow[]>;
  /** The oldest open one of each execution that has one. */
  findOldestOpen(params: {
    readonly tenantId: TenantId;
    readonly executionIds: readonly ExecutionId[];
  }): Promise<readonly OpenApproval[]>;
}

export interface OpenApproval {
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  /** The approval of a durable function; null: the node itself waits. */
  readonly step: string | null;
  readonly requestedAt: string;
}

/** How long decided approvals are listed. Histories keep them. */
export const DECIDED_MS = 90 * 24 * 60 * 60 * 1_000;

export interface ListApprovals {
  readonly tenantId: TenantId;
  readonly limit: number;
  /** Null: of any workflow. */
  readonly workflowId: string | null;
  /** Null: of any node. */
  readonly nodeId: string | null;
  /** Only those after this one in the list. */
  readonly cursor: ApprovalCursor | null;
}

export interface ApprovalCursor {
  readonly at: string;
  readonly executionId: ExecutionId;
  readonly sequence: number;
}

type EventOf<Kind extends RecordedEvent['kind']> = Extract<RecordedEvent, { readonly kind: Kind }>;

export interface ApprovalRow {
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly definitionId: DefinitionId;
  readonly requested: EventOf<'ApprovalRequested'>;
  /** When the wait ends without a decision; null: never, or its time stands still. */
  readonly dueAt: string | null;
}

export interface DecidedApprovalRow extends Omit<ApprovalRow, 'dueAt'> {
  readonly received: EventOf<'ApprovalReceived'>;
}
