import type { CursorPage } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';
import type { FilterParameters } from './filter.ts';

export type Execution = ReplyOf<'list-executions'>['executions'][number];
export type Counts = ReplyOf<'count-executions'>;

const PAGE = 100;

export async function readExecutions(
  filter: FilterParameters,
  cursor: string | null,
  signal: AbortSignal,
): Promise<CursorPage<Execution>> {
  const query = { ...filter, limit: PAGE, ...(cursor !== null && { cursor }) };
  const page = await call('list-executions', { query, signal });
  return { rows: page.executions, nextCursor: page.next_cursor };
}

export function readCounts(
  filter: FilterParameters,
  buckets: number,
  signal: AbortSignal,
): Promise<Counts> {
  return call('count-executions', { query: { ...filter, buckets }, signal });
}
