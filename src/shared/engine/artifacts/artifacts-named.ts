const REFERENCE = /"\$artifact":\s*"sha256:([0-9a-f]{64})"/g;

/** Those of a content: what the engine put elsewhere may hold what it had put there before. */
export function artifactsNamedByContent(content: {
  readonly contentType: string;
  readonly bytes: Buffer;
}): readonly string[] {
  return content.contentType === 'application/json' ? hashesIn(content.bytes.toString()) : [];
}

/** The contents that a JSON text refers to, by their hashes in hex. */
export function hashesIn(json: string): readonly string[] {
  return [...json.matchAll(REFERENCE)].map(([, hash = '']) => hash);
}
