import type { Artifact } from '../../domain/artifact.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';

/** A content chunk by chunk, each read when it is asked for. */
export async function* readArtifact(
  store: ArtifactStore,
  params: { readonly tenantId: TenantId; readonly artifact: Artifact },
): AsyncGenerator<Uint8Array> {
  const { tenantId, artifact } = params;
  const { hash, size } = artifact;
  let bytes = 0;
  for (let position = 0; bytes < size; position += 1) {
    const chunk = await store.readChunk({ tenantId, hash, position });
    if (chunk === null) throw new Error(`artifact ${hash} ends after ${bytes} of ${size} bytes`);
    bytes += chunk.length;
    yield chunk;
  }
}
