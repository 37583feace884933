/** A content stored under its hash. The hash identifies the content, so it never changes. */
export interface Artifact {
  /** SHA-256 of the content, 64 lowercase hex digits. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  /** As it was sent first. */
  readonly contentType: string;
  readonly createdAt: string;
}

/** How hashes are written in bodies and references: the algorithm is named. */
export function artifactName(hash: string): string {
  return `${PREFIX}${hash}`;
}

/** The hash in `sha256:<64 hex>`, or in the digits alone; null for any other text. */
export function parseArtifactName(text: string): string | null {
  const [, hash = null] = NAME.exec(text) ?? [];
  return hash;
}

const PREFIX = 'sha256:';
const NAME = /^(?:sha256:)?([0-9a-f]{64})$/;
