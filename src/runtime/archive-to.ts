import { join } from 'node:path';

import { ARCHIVE_FILES } from '../shared/clients/archive/archive-files.ts';
import { writeArchive } from '../shared/clients/archive/write-archive.ts';
import { createArchiving } from '../shared/engine/retention/archive-batch.ts';
import type { RetentionRun } from '../shared/engine/retention/run-retention.ts';
import type { Store } from '../shared/store/store.ts';

/** Retention first writes removed executions to files of this folder, separate for each tenant. */
export function archiveTo(
  folder: string,
  store: Pick<Store, 'executions'>,
  files = ARCHIVE_FILES,
): NonNullable<RetentionRun['archive']> {
  return createArchiving(store.executions, async ({ tenantId, name, documents }) => {
    const { file } = await writeArchive({ folder: join(folder, tenantId), name, documents, files });
    return `${tenantId}/${file}`;
  });
}
