import { hashJson } from '../canonical-json.ts';
import type { ExecutionStatus } from '../execution/status.ts';
import type { JsonValue } from '../json.ts';

/*
 * Rows that are no items of the audit log, and what the log says of them. A definition is what its hash says, and
 * the entry of its registration has that hash. An execution's row repeats what its events say.
 */

export interface StoredDefinition {
  readonly definitionId: string;
  readonly tenantId: string;
  readonly irHash: string;
  /** JSON. */
  readonly ir: string;
}

/** An audit entry of a registration, and the definition that it registered. */
export interface Registration {
  readonly auditId: string;
  readonly tenantId: string;
  readonly toldHash: string;
  /** Null: the definition is missing. */
  readonly definition: { readonly definitionId: string; readonly irHash: string } | null;
}

export interface StoredExecution {
  readonly executionId: string;
  readonly tenantId: string;
  readonly status: string;
  readonly workflow: WorkflowNamed;
  /** The fields of the first event; null: it is missing or of another kind. */
  readonly started: WorkflowNamed | null;
  /** Kind of the row's last event; null: it is missing. */
  readonly lastKind: string | null;
  /** There are events beyond it. */
  readonly hasMore: boolean;
}

export interface WorkflowNamed {
  readonly workflowId: string | null;
  readonly version: string | null;
  readonly definitionId: string | null;
}

export function isIrIntact({ ir, irHash }: StoredDefinition): boolean {
  try {
    return hashJson(JSON.parse(ir) as JsonValue) === irHash;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export function isRegistrationProved({ toldHash, definition }: Registration): boolean {
  return definition?.irHash === toldHash;
}

export function agreesWithEvents(execution: StoredExecution): boolean {
  const { status, workflow, started, lastKind, hasMore } = execution;
  if (started === null || lastKind === null || hasMore) return false;
  if (
    workflow.workflowId !== started.workflowId ||
    workflow.version !== started.version ||
    workflow.definitionId !== started.definitionId
  ) {
    return false;
  }
  const ended = ENDS.get(lastKind);
  return ended === undefined ? status === 'running' || status === 'paused' : status === ended;
}

const ENDS: ReadonlyMap<string, ExecutionStatus> = new Map([
  ['WorkflowCompleted', 'completed'],
  ['WorkflowFailed', 'failed'],
  ['WorkflowCancelled', 'cancelled'],
]);
