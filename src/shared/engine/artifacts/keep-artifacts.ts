import { createHash } from 'node:crypto';

import { badRequest } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { EngineDeps } from '../deps.ts';
import { artifactsNamedByContent } from './artifacts-named.ts';
import { writeArtifact } from './write-artifact.ts';

/** Hashes in hex, sorted. */
export interface KeptArtifacts {
  /** All that the events refer to. */
  readonly named: readonly string[];
  /** Neither in the document nor here. */
  readonly missing: readonly string[];
}

/** A content as a document has it. */
interface DocumentedArtifact {
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly content_base64: string | null;
}

/**
 * Stores the contents of a document that its events refer to, unless the tenant has them already. A
 * content that is in neither place stays missing: readers get the reference until it is uploaded.
 * Existing contents are kept from removal, because no recorded value refers to them yet.
 */
export async function keepArtifacts(
  deps: Pick<EngineDeps, 'store' | 'ids'>,
  params: {
    readonly tenantId: TenantId;
    readonly artifacts: readonly DocumentedArtifact[];
    /** All that the events refer to, sorted. */
    readonly named: readonly string[];
  },
): Promise<KeptArtifacts> {
  const { tenantId, artifacts, named } = params;
  const contents = new Map(artifacts.map((artifact) => [artifact.hash, decode(artifact)] as const));
  const missing: string[] = [];
  const seen = new Set(named);
  const store = deps.store.artifacts;
  for (let hashes = named; hashes.length > 0;) {
    const here = new Set((await store.hold({ tenantId, hashes })).map(({ hash }) => hash));
    const further: string[] = [];
    for (const hash of hashes.filter((each) => !here.has(each))) {
      const content = contents.get(hash) ?? null;
      if (content === null) {
        missing.push(hash);
        continue;
      }
      const { contentType, bytes } = content;
      const bytesMax = bytes.length;
      const written = { tenantId, contentType, content: [bytes], bytesMax, actorId: null };
      await writeArtifact({ store, ids: deps.ids }, written);
      further.push(...artifactsNamedByContent(content));
    }
    hashes = [...new Set(further)].filter((hash) => !seen.has(hash));
    for (const hash of hashes) seen.add(hash);
  }
  return { named, missing };
}

interface Content {
  readonly contentType: string;
  readonly bytes: Buffer;
}

function decode(artifact: DocumentedArtifact): Content | null {
  const { hash, size, content_type: contentType, content_base64: text } = artifact;
  if (text === null) return null;
  const bytes = Buffer.from(text, 'base64');
  const isWhole =
    bytes.length === size && createHash('sha256').update(bytes).digest('hex') === hash;
  if (isWhole) return { contentType, bytes };
  throw badRequest(`the document cannot be imported: its artifact ${hash} has other content`);
}
