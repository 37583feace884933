import type { AuditEntry, AuditItem } from '../domain/audit/audit-item.ts';
import type { RecordedImport } from '../domain/audit/imported-executions.ts';
import type { RetiredExecution, Retirement } from '../domain/audit/retired-executions.ts';
import type { Seal, SealableItem, Window } from '../domain/audit/seal.ts';
import type {
  Registration,
  StoredDefinition,
  StoredExecution,
} from '../domain/audit/stored-rows.ts';
import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';

/**
 * The audit log: the events of all executions, and the managing requests without an event. Both are
 * append-only; the database refuses any other change. The methods of other areas write them in
 * their own transactions. Events of imported executions do not belong to it: they were recorded
 * elsewhere.
 */
export interface AuditStore {
  /** Writes down what leaves no event and is part of no other statement. */
  append(entry: AuditEntry): Promise<void>;
  /**
   * One page, newest first, and the number of all that match. A page may hold fewer items than
   * `limit`, or none, and still have a `next`: the look for matches is bounded.
   */
  list(params: ListAudit): Promise<AuditPage>;
  /**
   * The items after `after`, oldest first; empty: no more items. Fewer than `limit` do not mean the
   * end.
   */
  export(params: ExportAudit): Promise<readonly ExportedItem[]>;
  /**
   * Seals the next window that can no longer change (see `domain/audit/seal.ts`), with about
   * `itemsMax` items at most. A call sends a bounded number of statements: it may end with nothing
   * sealed and more to do. If several callers seal at once, one succeeds and the others do
   * nothing.
   */
  seal(params: {
    readonly itemsMax: number;
    /** How far a window stays behind the clock, beyond what the store needs to be certain. */
    readonly lagMs: number;
  }): Promise<SealingRound>;
  /** Windows in order. */
  windows(params: { readonly after: number; readonly limit: number }): Promise<readonly Window[]>;
  /** Seals of one window, of all tenants. */
  seals(params: { readonly windowNumber: number }): Promise<readonly Seal[]>;
  /** Items as they are now, `coversFrom` inclusive and `coversTo` exclusive. */
  sealable(params: {
    readonly coversFrom: string;
    readonly coversTo: string;
    /** Null: items of all tenants, and events of executions that do not exist. */
    readonly tenantId: TenantId | null;
  }): Promise<readonly SealableItem[]>;
  /** The remaining records of these executions that retention has removed, in no order. */
  retired(params: {
    readonly executionIds: readonly string[];
  }): Promise<readonly RetiredExecution[]>;
  /** All that was removed, in the order of their ids, with what the log says of it. */
  retirements(params: {
    /** Null: of all. */
    readonly tenantId: TenantId | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Retirement[]>;
  /** All imports, in the order of their ids, with what the log says of each. */
  imports(params: {
    /** Null: of all. */
    readonly tenantId: TenantId | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly RecordedImport[]>;
  /** Definitions, imported ones included, in the order of their ids. */
  storedDefinitions(params: RowPage): Promise<readonly StoredDefinition[]>;
  /** Entries of registrations, in the order of their ids, with the registered definitions. */
  registrations(params: RowPage): Promise<readonly Registration[]>;
  /** Executions in the order of their ids, each as of one moment with its first and its last event. */
  storedExecutions(params: RowPage): Promise<readonly StoredExecution[]>;
  /** All events of these executions as a seal would have them, whenever they were. */
  histories(executionIds: readonly string[]): Promise<readonly SealableItem[]>;
}

export interface RowPage {
  /** Null: of all. */
  readonly tenantId: TenantId | null;
  readonly after: string | null;
  readonly limit: number;
}

export interface ListAudit {
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId | null;
  readonly actorId: string | null;
  readonly eventType: string | null;
  /** ISO instants, inclusive and exclusive; absent or null: of any time. */
  readonly since?: string | null;
  readonly until?: string | null;
  /** Only items older than this one (keyset paging); absent: from the newest. */
  readonly after?: AuditPlace | null;
  readonly limit: number;
  readonly offset: number;
  /** Absent: `AUDIT_LOOK`. */
  readonly look?: AuditLook;
}

/**
 * Where a look for items of a type or an actor ends although the page is not full. The next page
 * continues there.
 */
export interface AuditLook {
  /** About so many items are looked at. PostgreSQL counts those of the tenant, SQLite all. */
  readonly itemsMax: number;
  /** After so long the look goes no farther back. */
  readonly msMax: number;
}

/** Where an item is in the list. */
export interface AuditPlace {
  readonly createdAt: string;
  /** The execution of an event, or the id of another item. */
  readonly key: string;
  /** 0 for an item that is no event. */
  readonly sequence: number;
}

export interface AuditPage {
  readonly items: readonly ListedItem[];
  /** Where the next page begins; null: there is none. */
  readonly next: AuditPlace | null;
  readonly total: number;
  /** False: the tenant has so much that `total` is only the least that it can be. */
  readonly totalIsExact: boolean;
}

/**
 * How far a total is counted. Without a filter: over so many executions and so many other items, the
 * newest. By actor or type: over about so many items, the newest.
 */
export const COUNTED_MAX = 10_000;

export interface ListedItem extends AuditItem {
  /** Null for an event: it stands in the execution's history. */
  readonly payload: JsonObject | null;
}

export interface ExportAudit {
  /** Null: of all tenants. */
  readonly tenantId: TenantId | null;
  /** ISO instants, inclusive and exclusive; null: from the beginning, up to now. */
  readonly since: string | null;
  readonly until: string | null;
  readonly after: ExportPosition | null;
  readonly limit: number;
}

/** Where an item stands among all; fit for nothing but `after`. */
export interface ExportPosition {
  readonly createdAt: string;
  readonly key: string;
  readonly sequence: number;
}

export interface ExportedItem extends AuditItem {
  readonly payload: JsonObject;
  readonly position: ExportPosition;
}

export interface SealingRound {
  readonly items: number;
  /** There may be more to seal right now. */
  readonly more: boolean;
  /** Statements that went to the database; SQLite counts its transaction as one. */
  readonly roundTrips: number;
  /** Age of the end of the sealed part; null: unknown. */
  readonly behindMs: number | null;
}
