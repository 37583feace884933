import { call } from '../../api/client.ts';
import type { AuditFilter } from './read-filter.ts';

const PAGE = 200;
/** More than a browser should hold; the command has no such bound. */
export const EXPORTED_MAX = 50_000;

/** Reads the items of the filter, newest first, as JSON Lines: one item a line. */
export async function exportItems(
  filter: AuditFilter,
  params: { readonly signal: AbortSignal; readonly onProgress: (items: number) => void },
): Promise<{ readonly file: Blob; readonly items: number; readonly isWhole: boolean }> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(filter, cursor, params);
    for (const item of page.items) lines.push(`${JSON.stringify(item)}\n`);
    cursor = page.next_cursor;
    params.onProgress(lines.length);
  } while (cursor !== null && lines.length < EXPORTED_MAX);
  const file = new Blob(lines, { type: 'application/x-ndjson' });
  return { file, items: lines.length, isWhole: cursor === null };
}

function readPage(
  filter: AuditFilter,
  cursor: string | null,
  { signal }: { readonly signal: AbortSignal },
) {
  const query = { ...filter, limit: PAGE, cursor: cursor ?? undefined };
  return call('list-audit', { query, signal });
}
