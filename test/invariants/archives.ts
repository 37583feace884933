import { createHash } from 'node:crypto';

import { isJsonObject, type JsonObject } from '../../src/shared/domain/json.ts';
import type { DocumentOf } from './history.ts';

/** A complete archive: a file of executions, and the manifest that describes it. */
export interface ArchiveOf {
  /** `<tenant>/<name>.jsonl.gz`, as the audit log names it. */
  readonly file: string;
  readonly tenantId: string;
  readonly manifest: JsonObject;
  /** Null: the file is missing. */
  readonly content: { readonly sha256: string; readonly bytes: number } | null;
  /** Null: the file is missing or broken. */
  readonly documents: readonly ArchivedDocument[] | null;
}

export interface ArchivedDocument {
  readonly execution: {
    readonly execution_id: string;
    readonly tenant_id: string;
    readonly status: string;
    readonly last_sequence: number;
  };
  readonly events: DocumentOf['events'];
}

/** Reads the files of a folder of archives, by their paths from it. Without a manifest they count for nothing. */
export function archivesIn(
  files: ReadonlyMap<string, Buffer>,
  unpack: (content: Buffer) => string,
): readonly ArchiveOf[] {
  return [...files].flatMap(([path, text]) => {
    if (!path.endsWith('.json')) return [];
    const file = path.replace(/\.json$/, '.jsonl.gz');
    const content = files.get(file);
    return [
      {
        file,
        tenantId: path.split('/')[0] ?? '',
        manifest: manifestIn(text),
        content:
          content === undefined
            ? null
            : {
                sha256: createHash('sha256').update(content).digest('hex'),
                bytes: content.length,
              },
        documents: content === undefined ? null : documentsIn(content, unpack),
      },
    ];
  });
}

function manifestIn(text: Buffer): JsonObject {
  try {
    const manifest: unknown = JSON.parse(text.toString());
    return isJsonObject(manifest) ? manifest : {};
  } catch {
    return {};
  }
}

function documentsIn(
  content: Buffer,
  unpack: (content: Buffer) => string,
): readonly ArchivedDocument[] | null {
  try {
    const lines = unpack(content).split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as ArchivedDocument);
  } catch {
    return null;
  }
}
