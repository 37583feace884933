/** `exec_` + 32 lowercase hex digits of a UUIDv7; the only form used in bodies, events and logs. */
export type ExecutionId = string & { readonly __brand: 'ExecutionId' };
/** UUIDv7, hyphenated lowercase. */
export type WorkItemId = string & { readonly __brand: 'WorkItemId' };
/** `[a-z0-9][a-z0-9_-]{0,62}`, chosen by the caller. */
export type TenantId = string & { readonly __brand: 'TenantId' };
/** UUIDv7 of one stored revision of a workflow definition. */
export type DefinitionId = string & { readonly __brand: 'DefinitionId' };

export const DEFAULT_TENANT = 'default' as TenantId;

const EXECUTION_ID =
  /^(?:exec_)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reads an execution id in any accepted form (with the prefix, or the bare UUID with or without
 * hyphens). Null for anything else, which callers answer like an unknown id.
 */
export function parseExecutionId(text: string): ExecutionId | null {
  const match = EXECUTION_ID.exec(text.toLowerCase());
  return match ? (`exec_${match.slice(1).join('')}` as ExecutionId) : null;
}

export function executionIdFromUuid(uuid: string): ExecutionId {
  return `exec_${uuid.replaceAll('-', '')}` as ExecutionId;
}

export function parseWorkItemId(text: string): WorkItemId | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? (lower as WorkItemId) : null;
}
