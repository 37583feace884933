import type { DocumentedEvent } from '../../domain/execution/document/execution-document.ts';

const REFERENCE = /"\$artifact":\s*"sha256:([0-9a-f]{64})"/g;

/** The contents that events refer to, by their hashes in hex, sorted. */
export function artifactsNamedIn(events: readonly DocumentedEvent[]): readonly string[] {
  const hashes = new Set<string>();
  // One by one: together they may be longer than a text can be.
  for (const { payload } of events) {
    for (const hash of hashesIn(JSON.stringify(payload))) hashes.add(hash);
  }
  return [...hashes].toSorted();
}

/** The same of a content: what the engine put elsewhere may hold what it had put there before. */
export function artifactsNamedByContent(content: {
  readonly contentType: string;
  readonly bytes: Buffer;
}): readonly string[] {
  return content.contentType === 'application/json' ? hashesIn(content.bytes.toString()) : [];
}

/** In a JSON text. */
export function hashesIn(json: string): readonly string[] {
  return [...json.matchAll(REFERENCE)].map(([, hash = '']) => hash);
}
