import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Fact, Scope } from '../../domain/memory/fact.ts';
import type { MemoryTier } from '../../domain/memory/tiers.ts';

/**
 * Hosted vector memory as the API is given it; the interface document, "Memory". Every method may
 * throw a `SvcError` or a StoreUnavailableError; bodies have been decoded by the caller.
 */
export interface Memory {
  readSettings(params: { readonly tenantId: TenantId }): Promise<SettingsView>;
  saveSettings(params: {
    readonly tenantId: TenantId;
    readonly provider: Provider;
    readonly apiKey: string;
    readonly enabled: boolean;
    readonly actorId: string;
  }): Promise<SettingsView>;
  changeSettings(params: {
    readonly tenantId: TenantId;
    readonly enabled: boolean;
    readonly actorId: string;
  }): Promise<SettingsView>;
  /** Embeds a word with the key and keeps nothing; null when it works, else what is wrong. */
  testSettings(params: {
    readonly provider: Provider;
    readonly apiKey: string;
  }): Promise<string | null>;
  addFact(params: AddFact): Promise<Fact>;
  recall(params: Recall): Promise<readonly RecalledFact[]>;
  /** The number of facts that are forgotten by this. */
  forget(params: Forget): Promise<number>;
  listFacts(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
    /** Only facts created before this instant. */
    readonly before: string | null;
  }): Promise<readonly Fact[]>;
  readStats(params: { readonly tenantId: TenantId }): Promise<MemoryStats>;
}

export const PROVIDERS = ['openai'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface SettingsView {
  readonly provider: string | null;
  readonly enabled: boolean;
  /** A key is kept. */
  readonly configured: boolean;
}

export interface AddFact extends Scope {
  readonly tenantId: TenantId;
  readonly actorId: string;
  readonly content: string;
  readonly metadata: JsonObject;
  readonly ingestionKey: string | null;
}

export interface Recall extends Scope {
  readonly tenantId: TenantId;
  readonly query: string;
  readonly k: number | null;
}

export interface RecalledFact extends Fact {
  readonly similarity: number;
}

export interface Forget {
  readonly tenantId: TenantId;
  readonly actorId: string;
  readonly what: { readonly factId: string } | { readonly endUserId: string };
  readonly reason: string;
}

export interface MemoryStats {
  /** Facts ever added: what the quota counts. */
  readonly count: number;
  readonly quota: number;
  readonly tier: MemoryTier;
  /** Facts that are not forgotten. */
  readonly live: number;
}
