import { parseArtifactName, type Artifact } from '../../domain/artifact.ts';
import { notFound } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import { readArtifact } from './read-artifact.ts';
import { artifactTooLarge, writeArtifact } from './write-artifact.ts';

/** What people and workers do with artifacts. */
export interface Artifacts {
  /** 413 for what is larger than allowed. */
  upload(params: {
    readonly tenantId: TenantId;
    readonly actorId: string;
    readonly contentType: string;
    /** As announced; null: not known beforehand. */
    readonly bytes: number | null;
    readonly content: AsyncIterable<Uint8Array>;
  }): Promise<Artifact>;
  /** 404 for a hash the tenant has nothing under, whatever its form. */
  open(params: {
    readonly tenantId: TenantId;
    readonly name: string;
    /** Nothing else is there for a worker than what the items refer to that are out. */
    readonly onlyOfItems: boolean;
  }): Promise<OpenArtifact>;
}

export interface OpenArtifact {
  readonly artifact: Artifact;
  /** The content, read chunk by chunk as it is asked for. */
  content(): AsyncGenerator<Uint8Array>;
}

export function createArtifacts(deps: {
  readonly store: ArtifactStore;
  readonly ids: Ids;
  /** `artifacts.max_bytes` */
  readonly bytesMax: number;
}): Artifacts {
  const { store, bytesMax } = deps;
  return {
    async upload({ bytes, ...params }) {
      if (bytes !== null && bytes > bytesMax) throw artifactTooLarge(bytesMax);
      return writeArtifact(deps, { ...params, bytesMax });
    },

    async open({ tenantId, name, onlyOfItems }) {
      const hash = parseArtifactName(name);
      const [artifact] = hash === null ? [] : await store.find({ tenantId, hashes: [hash] });
      if (artifact !== undefined && onlyOfItems) {
        const isOfItem = await store.isInLeasedItem({ tenantId, hash: artifact.hash });
        if (!isOfItem) throw notFound(`artifact ${name}`);
      }
      if (artifact === undefined) throw notFound(`artifact ${name}`);
      return { artifact, content: () => readArtifact(store, { tenantId, artifact }) };
    },
  };
}
