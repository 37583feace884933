import type { TenantId } from '../../domain/ids.ts';
import { artifactsNamedByContent } from '../artifacts/artifacts-named.ts';
import type { EngineDeps } from '../deps.ts';

export interface ExportedArtifact {
  /** Hex SHA-256 of the content. */
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  /** Null: left out, since all of them together would be too large. */
  readonly content_base64: string | null;
}

/** Contents past this are named and left out; they can be read one by one. */
const ARTIFACT_BYTES_MAX = 16 * 1024 * 1024;
/** The contents of an export: those that are named, and those that their contents name. */
export async function readArtifacts(
  { store }: Pick<EngineDeps, 'store'>,
  tenantId: TenantId,
  named: readonly string[],
): Promise<readonly ExportedArtifact[]> {
  const exported = new Map<string, ExportedArtifact>();
  let left = ARTIFACT_BYTES_MAX;
  for (let names = named; names.length > 0;) {
    const found = await store.artifacts.find({ tenantId, hashes: names });
    const further = new Set<string>();
    for (const { hash, size, contentType } of found.toSorted((one, other) =>
      one.hash.localeCompare(other.hash),
    )) {
      const bytes = size <= left ? await readContent(store, tenantId, hash) : null;
      if (bytes !== null) {
        left -= size;
        for (const name of artifactsNamedByContent({ contentType, bytes })) further.add(name);
      }
      exported.set(hash, {
        hash,
        size,
        content_type: contentType,
        content_base64: bytes?.toString('base64') ?? null,
      });
    }
    names = [...further].filter((name) => !exported.has(name)).toSorted();
  }
  return [...exported.values()];
}

async function readContent(
  store: EngineDeps['store'],
  tenantId: TenantId,
  hash: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let position = 0; ; position += 1) {
    const chunk = await store.artifacts.readChunk({ tenantId, hash, position });
    if (chunk === null) return Buffer.concat(chunks);
    chunks.push(chunk);
  }
}
