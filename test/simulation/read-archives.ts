import type { JsonObject } from '../../src/shared/domain/json.ts';
import { archivesIn, type ArchiveOf } from '../invariants/archives.ts';
import { ARCHIVES } from './cluster.ts';

/** The complete archives among these files of the disk, or only the one with this name. */
export function archivesOn(
  files: ReadonlyMap<string, Buffer>,
  only?: string,
): readonly ArchiveOf[] {
  const stem = only?.replace(/\.jsonl\.gz$/, '.json');
  const relative = new Map(
    [...files]
      .map(([path, content]) => [path.slice(ARCHIVES.length + 1), content] as const)
      .filter(([path]) => only === undefined || path === only || path === stem),
  );
  return archivesIn(relative, (content) => content.toString());
}

/** The line of an execution in the newest archive of its tenant that has it. */
export function archivedIn(
  files: ReadonlyMap<string, Buffer>,
  of: { readonly tenantId: string; readonly executionId: string },
): JsonObject | null {
  const documents = archivesOn(files)
    .filter(({ tenantId }) => tenantId === of.tenantId)
    .flatMap((archive) => archive.documents ?? []);
  const found = documents.findLast(({ execution }) => execution.execution_id === of.executionId);
  return found === undefined ? null : (structuredClone(found) as unknown as JsonObject);
}
