import type { TenantId } from '../domain/ids.ts';

/** The caller of a use case, and its tenant. */
export interface Caller {
  readonly tenantId: TenantId;
  /** `token:<name>`, `worker:<id>`; the events and the audit log name it. */
  readonly actorId: string;
}

/** A use case that only reads needs to know the tenant alone. */
export type Reader = Pick<Caller, 'tenantId'>;
export type Actor = Pick<Caller, 'actorId'>;

export interface ExecutionRef {
  /** As the caller wrote it, in any accepted form. */
  readonly executionId: string;
}

/** The reference to an execution that may come from a list. */
export interface ListedRef extends ExecutionRef {
  /** A list of the tenant has just named it, so it is read together with others. */
  readonly isListed?: true;
}

/** The tenant that the execution must belong to; null: its list has checked that. */
export function tenantToCheck(caller: Reader, { isListed }: ListedRef): TenantId | null {
  return isListed === true ? null : caller.tenantId;
}

export interface EventRange {
  /** Only events with a greater sequence; 0: all. */
  readonly after: number;
  readonly limit: number | null;
  /** Only events with a smaller sequence; absent: no bound. */
  readonly before?: number | null;
  /** Absent: all kinds. */
  readonly kinds?: readonly string[] | null;
  readonly order?: 'asc' | 'desc';
}
