import type { Artifact } from '../domain/artifact.ts';
import type { TenantId } from '../domain/ids.ts';

/**
 * A hold within this time after the last one is not recorded again. Unused artifacts are kept for
 * at least a day, so this does not affect removal.
 */
export const HELD_ANEW_MS = 3_600_000;

/**
 * The size of every chunk but the last, which may be smaller: neither side ever holds a whole
 * artifact.
 */
export const CHUNK_BYTES = 256 * 1024;

/** An upload that nothing was added to for this long is taken for given up, and pruned. */
export const UPLOAD_SILENCE_MS = 3_600_000;

/**
 * Contents by their hash, apart for each tenant. An upload is written chunk by chunk and seen by
 * nobody before it is finished; one that breaks off leaves chunks, which pruning deletes. Contents
 * are never changed. Retention removes those that nothing refers to, see `UnusedArtifactStore`.
 */
export interface ArtifactStore {
  /** Chunk 0 begins the upload. False: the upload no longer exists; begin again. */
  append(chunk: NewChunk): Promise<boolean>;
  /**
   * Makes the upload an artifact. Where the tenant has this content already, that one is answered
   * and the upload dropped. Null: there is no such upload any more.
   */
  finish(upload: FinishUpload): Promise<Artifact | null>;
  /** Deletes an upload that is not finished. */
  discard(upload: UploadRef): Promise<void>;
  /** Those of these hashes that the tenant has, in no order. */
  find(params: {
    readonly tenantId: TenantId;
    readonly hashes: readonly string[];
  }): Promise<readonly Artifact[]>;
  /**
   * The same for a caller that is about to refer to them: from now on they are kept as long as a
   * new artifact.
   */
  hold(params: {
    readonly tenantId: TenantId;
    readonly hashes: readonly string[];
  }): Promise<readonly Artifact[]>;
  /**
   * Whether an item that is leased in this tenant names the artifact, or its execution is known to
   * refer to it: what a worker is handed may itself be a large value that is kept as an artifact.
   */
  isInLeasedItem(params: { readonly tenantId: TenantId; readonly hash: string }): Promise<boolean>;
  /** A chunk of an artifact, null behind the last. */
  readChunk(params: {
    readonly tenantId: TenantId;
    readonly hash: string;
    readonly position: number;
  }): Promise<Uint8Array | null>;
}

export interface UploadRef {
  readonly uploadId: string;
  readonly tenantId: TenantId;
}

export interface NewChunk extends UploadRef {
  /** From 0, without gaps. */
  readonly position: number;
  readonly content: Uint8Array;
}

export interface FinishUpload extends UploadRef {
  readonly hash: string;
  readonly size: number;
  readonly contentType: string;
  /** Null: an event records it, so it needs no entry in the audit log. */
  readonly actorId: string | null;
}
