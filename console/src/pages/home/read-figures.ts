import { call } from '../../api/client.ts';

export interface Figure {
  readonly count: number;
  /** False: there are more. */
  readonly isExact: boolean;
}

/** A list is counted up to here. */
const COUNTED_MAX = 100;

export async function countExecutions(q: string, signal: AbortSignal): Promise<Figure> {
  const counts = await call('count-executions', { query: { q, buckets: 1 }, signal });
  return { count: counts.total, isExact: counts.is_exact };
}

export async function countPending(signal: AbortSignal): Promise<Figure> {
  const query = { status: 'pending', limit: COUNTED_MAX } as const;
  const { approvals, next_cursor: next } = await call('list-all-approvals', { query, signal });
  return { count: approvals.length, isExact: next === null };
}

export async function countDeadLetters(signal: AbortSignal): Promise<Figure> {
  const query = { status: 'dead_lettered', limit: COUNTED_MAX } as const;
  const { work_items: items, next_cursor: next } = await call('list-dead-letters', {
    query,
    signal,
  });
  return { count: items.length, isExact: next === null };
}

export async function countWorkers(signal: AbortSignal): Promise<Figure> {
  const { workers } = await call('list-workers', { signal });
  return { count: workers.filter(({ kind }) => kind === 'tool').length, isExact: true };
}
