import type { ExecutionId, TenantId } from '../domain/ids.ts';

/**
 * Artifacts that nothing refers to any more.
 *
 * References to artifacts are read from sealed events, and from contents that are JSON themselves.
 * An artifact is removed when it has been unused for the retention time, and everything written up
 * to half a day after the beginning of that time has been read. A caller that is about to refer to
 * an artifact restarts that time (`ArtifactStore.hold`), and so does the removal of a referring
 * execution; so an unread reference is always younger.
 *
 * The record is removed first, and the content becomes an abandoned upload, which pruning deletes
 * piece by piece: nobody finds half a content, and a crash leaves nothing behind forever.
 */
export interface UnusedArtifactStore {
  /** The first tenant after this one that has artifacts; null: there is none. */
  nextTenant(after: TenantId | null): Promise<TenantId | null>;
  /** Reads the events of some windows of the audit log. `read`: how many windows. */
  readEvents(params: { readonly windowsMax: number }): Promise<{ readonly read: number }>;
  /** Those whose contents have not been read, oldest first. */
  listUnread(params: { readonly limit: number }): Promise<readonly UnreadArtifact[]>;
  /** Artifacts that their contents name. */
  noteRead(artifacts: readonly ReadArtifact[]): Promise<void>;
  /** The tenant's JSON with references outside events: definitions and schedules. */
  standingReferences(tenantId: TenantId): Promise<readonly string[]>;
  /**
   * Removes some of a tenant's that have been unused for so long, the longest first, and leaves an entry
   * in the audit log. `looked`: at how many; fewer than the limit means that this was all.
   */
  remove(params: UnusedSelection & { readonly limit: number; readonly actorId: string }): Promise<{
    readonly looked: number;
    readonly artifacts: number;
    readonly bytes: number;
  }>;
  /** The artifacts that `remove` would remove now, as far as events have been read. */
  count(params: UnusedSelection): Promise<{ readonly artifacts: number; readonly bytes: number }>;
  /** Windows whose events have not been read; while there are some, less is removed than might be. */
  unreadWindows(): Promise<number>;
  /** Artifacts that these executions refer to. */
  heldBy(executionIds: readonly ExecutionId[]): Promise<readonly HeldArtifact[]>;
  /** Deletes some chunks of uploads that were given up, those of removed artifacts included; how many. */
  deleteChunks(): Promise<number>;
}

export interface UnusedSelection {
  readonly tenantId: TenantId;
  readonly unusedMs: number;
  /** Artifacts that stay in any case. */
  readonly except: readonly string[];
}

export interface UnreadArtifact {
  readonly tenantId: TenantId;
  readonly hash: string;
  readonly size: number;
  readonly contentType: string;
  readonly createdAt: string;
}

export interface ReadArtifact {
  readonly tenantId: TenantId;
  readonly hash: string;
  /** Hashes of artifacts, existing or not. */
  readonly names: readonly string[];
}

export interface HeldArtifact {
  readonly tenantId: TenantId;
  readonly hash: string;
  readonly size: number;
  /** How many refer to it, and how many of the executions that were asked about do. */
  readonly holders: number;
  readonly held: number;
}

/** Events may be read this much later than they were committed. */
export const UNREAD_MS_MAX = 12 * 3_600_000;

/** The longest time until a present write is committed. */
export const UNDER_WAY_MS_MAX = 3_600_000;

/** Deleted together: 16 MiB of chunks. On SQLite nobody else writes meanwhile. */
export const CHUNKS_AT_A_TIME = 64;
