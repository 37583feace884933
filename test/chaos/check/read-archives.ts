import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { archivesIn, type ArchiveOf } from '../../invariants/archives.ts';

/** The complete archives of a folder; it has a folder for each tenant. */
export function readArchives(folder: string): readonly ArchiveOf[] {
  if (!existsSync(folder)) return [];
  const files = new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), readFileSync(path)];
      }),
  );
  return archivesIn(files, (content) => gunzipSync(content).toString());
}
