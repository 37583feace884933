import type { TenantId } from '../domain/ids.ts';

/** Who asks a use case, and on behalf of which tenant. */
export interface Caller {
  readonly tenantId: TenantId;
  /** `token:<name>`, `worker:<id>`; the events and the audit log name it. */
  readonly actorId: string;
}

export type Actor = Pick<Caller, 'actorId'>;

export interface ExecutionRef {
  readonly tenantId: TenantId;
  /** As the caller wrote it, in any accepted form. */
  readonly executionId: string;
}

export interface EventRange {
  /** Only events with a greater sequence; 0: all. */
  readonly after: number;
  readonly limit: number | null;
}
