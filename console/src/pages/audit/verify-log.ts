import { call, type ReplyOf } from '../../api/client.ts';

type Part = ReplyOf<'verify-audit'>;

/** The sum of the parts so far. */
export interface Verdict extends Pick<
  Part,
  'windows' | 'items' | 'executions' | 'definitions' | 'head' | 'sealed_until' | 'problems'
> {
  readonly retired: number;
  readonly imported: number;
}

const NOTHING: Verdict = {
  windows: 0,
  items: 0,
  executions: 0,
  definitions: 0,
  retired: 0,
  imported: 0,
  head: null,
  sealed_until: null,
  problems: [],
};

/** Verifies the whole log of the tenant, part by part. */
export async function verifyLog(params: {
  /** A head that was kept; empty: none. */
  readonly head: string;
  readonly signal: AbortSignal;
  readonly onProgress: (verdict: Verdict) => void;
}): Promise<Verdict> {
  const { head, signal, onProgress } = params;
  let verdict = NOTHING;
  let cursor: string | null = null;
  do {
    const query = { head: head || undefined, cursor: cursor ?? undefined };
    const part: Part = await call('verify-audit', { query, signal });
    verdict = addPart(verdict, part);
    onProgress(verdict);
    cursor = part.next_cursor;
  } while (cursor !== null);
  return verdict;
}

function addPart(sum: Verdict, part: Part): Verdict {
  return {
    windows: sum.windows + part.windows,
    items: sum.items + part.items,
    executions: sum.executions + part.executions,
    definitions: sum.definitions + part.definitions,
    retired: sum.retired + part.retired_executions,
    imported: sum.imported + part.imported_executions,
    head: part.head ?? sum.head,
    sealed_until: part.sealed_until ?? sum.sealed_until,
    problems: part.problems,
  };
}
