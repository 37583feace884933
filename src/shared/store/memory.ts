import type { TenantId } from '../domain/ids.ts';
import type { Fact, Scope } from '../domain/memory/fact.ts';
import type { JsonObject } from '../domain/json.ts';

/**
 * Facts with their vectors, what they count, and the settings of embedding.
 *
 * Every change of a tenant's facts takes the next number of that tenant while it holds the tenant's
 * usage row, so changes become visible in the order of their numbers: a reader of all changes up to
 * a number has missed none.
 */
export interface MemoryStore {
  /** Null: nothing was ever saved. */
  readSettings(tenantId: TenantId): Promise<MemorySettings | null>;
  saveSettings(params: {
    readonly tenantId: TenantId;
    readonly provider: string;
    readonly key: SealedKey;
    readonly enabled: boolean;
    readonly actorId: string;
  }): Promise<MemorySettings>;
  setEnabled(params: {
    readonly tenantId: TenantId;
    readonly enabled: boolean;
    readonly actorId: string;
  }): Promise<MemorySettings>;
  /** Keys of all tenants after `after`, in order. */
  listSealedKeys(params: {
    readonly after: TenantId | null;
    readonly limit: number;
  }): Promise<readonly { readonly tenantId: TenantId; readonly key: SealedKey }[]>;
  /** False when another key has been saved meanwhile. */
  replaceKey(params: {
    readonly tenantId: TenantId;
    readonly from: SealedKey;
    readonly to: SealedKey;
  }): Promise<boolean>;

  readUsage(tenantId: TenantId): Promise<MemoryUsage>;
  /**
   * Keeps one place of the quota for a fact that is being embedded; false when none is free. A place
   * that is neither used nor given back is free again after `holdMs`.
   */
  reserve(
    params: Reservation & { readonly quota: number; readonly holdMs: number },
  ): Promise<boolean>;
  release(params: Reservation): Promise<void>;

  /** The fact that was added under this key and is not forgotten. */
  findByIngestionKey(params: {
    readonly tenantId: TenantId;
    readonly ingestionKey: string;
  }): Promise<Fact | null>;
  /**
   * Adds a fact and counts it, in the place that was reserved. The fact of the same ingestion key if
   * there is one, and then nothing is counted. Null: the reservation has lapsed and the quota is
   * used up. Creation times of a tenant's facts are all different.
   */
  add(params: NewFact): Promise<Fact | null>;
  /** Newest first, none that is forgotten. */
  list(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
    /** Only facts created before this instant. */
    readonly before: string | null;
  }): Promise<readonly Fact[]>;
  /** Forgets one fact; the number of facts forgotten, 0 or 1. */
  forgetFact(params: Forgetting & { readonly factId: string }): Promise<number>;
  /**
   * Forgets all facts of an end user, of every agent; the number of facts forgotten. One audit row,
   * `memory_user_forgotten`, is written with it.
   */
  forgetUser(
    params: Forgetting & { readonly endUserId: string; readonly auditId: string },
  ): Promise<number>;

  /** Changes of one scope after a change number, in their order; forgotten facts only if `after` > 0. */
  listChanges(params: {
    readonly tenantId: TenantId;
    readonly scope: Scope;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly FactChange[]>;
  /** Those that are not forgotten, in no particular order. */
  readVectors(params: {
    readonly tenantId: TenantId;
    readonly ordinals: readonly number[];
  }): Promise<readonly StoredVector[]>;
  /** Those that are not forgotten, in no particular order. */
  readFacts(params: {
    readonly tenantId: TenantId;
    readonly ordinals: readonly number[];
  }): Promise<readonly (Fact & { readonly ordinal: number })[]>;
}

export interface MemorySettings {
  readonly provider: string | null;
  readonly enabled: boolean;
  readonly key: SealedKey | null;
}

/** A provider's key, encrypted; `keyId` names the key it was sealed with. */
export interface SealedKey {
  readonly keyId: string;
  readonly box: string;
}

export interface MemoryUsage {
  /** Facts ever added. */
  readonly added: number;
  /** Facts that are not forgotten. */
  readonly live: number;
  /** `memory_tier` of the tenant's limits, unchanged. */
  readonly tier: string | null;
}

export interface Reservation {
  readonly tenantId: TenantId;
  readonly reservationId: string;
}

export interface NewFact extends Reservation, Scope {
  readonly quota: number;
  readonly factId: string;
  readonly content: string;
  readonly metadata: JsonObject;
  readonly ingestionKey: string | null;
  readonly embedding: Uint8Array;
  readonly sketch: Uint8Array;
  readonly actorId: string;
}

export interface Forgetting {
  readonly tenantId: TenantId;
  readonly reason: string;
  readonly actorId: string;
}

export interface FactChange {
  readonly change: number;
  /** The fact's number within its tenant, from 1 in the order of adding. */
  readonly ordinal: number;
  /** Null: the fact is forgotten. */
  readonly sketch: Uint8Array | null;
}

export interface StoredVector {
  readonly ordinal: number;
  readonly embedding: Uint8Array;
}
