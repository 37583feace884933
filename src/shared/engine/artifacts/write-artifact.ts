import { createHash } from 'node:crypto';

import type { Artifact } from '../../domain/artifact.ts';
import { SvcError } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { Ids } from '../../ports/ids.ts';
import { CHUNK_BYTES, type ArtifactStore } from '../../store/artifacts.ts';

/**
 * Writes a content in chunks as it arrives: it reads the next one only when the last is stored. A
 * content that breaks off, or grows beyond `bytesMax` (413), leaves nothing visible.
 */
export async function writeArtifact(
  deps: { readonly store: ArtifactStore; readonly ids: Ids },
  params: {
    readonly tenantId: TenantId;
    readonly contentType: string;
    readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    readonly bytesMax: number;
    /** Null: an event will record it. */
    readonly actorId: string | null;
  },
): Promise<Artifact> {
  const { store } = deps;
  const { tenantId, contentType, content, bytesMax, actorId } = params;
  const upload = { uploadId: deps.ids.uuid(), tenantId };
  const hash = createHash('sha256');
  let size = 0;
  let position = 0;
  try {
    for await (const chunk of inChunks(content)) {
      size += chunk.length;
      if (size > bytesMax) throw artifactTooLarge(bytesMax);
      hash.update(chunk);
      if (!(await store.append({ ...upload, position, content: chunk }))) throw tooSlow();
      position += 1;
    }
    const digest = hash.digest('hex');
    const finished = await store.finish({ ...upload, hash: digest, size, contentType, actorId });
    if (finished === null) throw tooSlow();
    return finished;
  } catch (error) {
    // Pruning deletes what is left where this does not succeed either.
    await store.discard(upload).catch(() => undefined);
    throw error;
  }
}

export function artifactTooLarge(bytesMax: number): SvcError {
  return new SvcError('too_large', `the artifact is larger than ${bytesMax} bytes`);
}

function tooSlow(): SvcError {
  return new SvcError('request_timeout', 'the upload was given up, send it again');
}

/** The same bytes in chunks of one size, the last of which may be shorter; at least one. */
async function* inChunks(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  let isFirst = true;
  for await (const part of content) {
    for (let taken = 0; taken < part.length;) {
      if (filled === CHUNK_BYTES) {
        yield chunk;
        isFirst = false;
        // The store may still hold the last one.
        chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        filled = 0;
      }
      const end = Math.min(part.length, taken + CHUNK_BYTES - filled);
      chunk.set(part.subarray(taken, end), filled);
      filled += end - taken;
      taken = end;
    }
  }
  if (filled > 0 || isFirst) yield chunk.subarray(0, filled);
}
