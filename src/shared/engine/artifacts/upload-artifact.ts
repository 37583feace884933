import type { Artifact } from '../../domain/artifact.ts';
import type { Caller } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { artifactTooLarge, writeArtifact } from './write-artifact.ts';

/** Throws 413 for a content that is larger than `bytesMax`. */
export async function uploadArtifact(
  { store, ids }: EngineDeps,
  { tenantId, actorId }: Caller,
  params: {
    readonly contentType: string;
    /** As announced; null: not known beforehand. */
    readonly bytes: number | null;
    readonly content: AsyncIterable<Uint8Array>;
    /** `artifacts.max_bytes` */
    readonly bytesMax: number;
  },
): Promise<Artifact> {
  const { bytes, bytesMax, contentType, content } = params;
  if (bytes !== null && bytes > bytesMax) throw artifactTooLarge(bytesMax);
  const upload = { tenantId, actorId, contentType, content, bytesMax };
  return writeArtifact({ store: store.artifacts, ids }, upload);
}
