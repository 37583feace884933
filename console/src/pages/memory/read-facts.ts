import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';

export type Fact = ReplyOf<'list-facts'>['facts'][number];

const PAGE = 50;
const SCAN_PAGE = 200;
const SCAN_PAGES_MAX = 5;
/** How many facts a look for those of an end user reads. */
export const SCANNED_MAX = SCAN_PAGE * SCAN_PAGES_MAX;

/** The facts of the tenant, newest first. */
export function useFacts(): CursorList<Fact> {
  return useByCursor({
    key: ['memory', 'facts'],
    read: async (cursor, signal) => {
      const query = { limit: PAGE, before: cursor ?? undefined };
      const { facts } = await call('list-facts', { query, signal });
      const last = facts.length === PAGE ? facts.at(-1) : undefined;
      return { rows: facts, nextCursor: last?.created_at ?? null };
    },
  });
}

/** The facts of an end user among the newest of the tenant. */
export interface FactsOfUser {
  readonly facts: readonly Fact[];
  /** False: there are older facts that nobody has looked at. */
  readonly isAll: boolean;
}

/** Looks through the newest facts; the API lists them by time alone. */
export async function findFactsOf(endUserId: string, signal: AbortSignal): Promise<FactsOfUser> {
  const found: Fact[] = [];
  let before: string | undefined;
  for (let page = 0; page < SCAN_PAGES_MAX; page += 1) {
    const query = { limit: SCAN_PAGE, before };
    const { facts } = await call('list-facts', { query, signal });
    found.push(...facts.filter((fact) => fact.end_user_id === endUserId));
    before = facts.at(-1)?.created_at;
    if (facts.length < SCAN_PAGE) return { facts: found, isAll: true };
  }
  return { facts: found, isAll: false };
}

/** Whose a fact is. */
export function describeScope(fact: Pick<Fact, 'agent_id' | 'end_user_id'>): string {
  const owners = [
    ...(fact.agent_id === null ? [] : [`agent ${fact.agent_id}`]),
    ...(fact.end_user_id === null ? [] : [`end user ${fact.end_user_id}`]),
  ];
  return owners.length === 0 ? 'whole project' : owners.join(', ');
}
