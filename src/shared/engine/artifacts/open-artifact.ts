import { parseArtifactName, type Artifact } from '../../domain/artifact.ts';
import { notFound } from '../../domain/errors.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { readArtifact } from './read-artifact.ts';

export interface OpenArtifact {
  readonly artifact: Artifact;
  /** The content, read chunk by chunk as it is asked for. */
  content(): AsyncGenerator<Uint8Array>;
}

/** Throws 404 for any text that is not the hash of an artifact of the tenant. */
export async function openArtifact(
  { store: { artifacts } }: EngineDeps,
  { tenantId }: Reader,
  params: {
    readonly name: string;
    /** A worker sees only what the items refer to that are out. */
    readonly onlyOfItems: boolean;
  },
): Promise<OpenArtifact> {
  const { name, onlyOfItems } = params;
  const hash = parseArtifactName(name);
  const [artifact] = hash === null ? [] : await artifacts.find({ tenantId, hashes: [hash] });
  if (artifact !== undefined && onlyOfItems) {
    const isOfItem = await artifacts.isInLeasedItem({ tenantId, hash: artifact.hash });
    if (!isOfItem) throw notFound(`artifact ${name}`);
  }
  if (artifact === undefined) throw notFound(`artifact ${name}`);
  return { artifact, content: () => readArtifact(artifacts, { tenantId, artifact }) };
}
