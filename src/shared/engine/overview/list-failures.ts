import type { Page } from '../../store/rows/take-page.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { compareGroups, type FailureGroup } from './group-failures.ts';
import { type FailuresFilter, readFailures } from './read-failures.ts';

/** The groups of a page list so many failures together at most. */
const LISTED_MAX = 500;

export interface FailuresQuery extends FailuresFilter {
  readonly cursor: GroupPlace | null;
  readonly limit: number;
  /** How many failures of each group are listed: the latest. */
  readonly members: number;
}

/** Where a page ended, in the order of the groups. */
export interface GroupPlace {
  /** ISO instant of the first page. Later failures count on no page after it. */
  readonly at: string;
  readonly count: number;
  readonly id: string;
}

export interface FailuresPage {
  /** ISO instant: how far back. */
  readonly since: string;
  readonly groups: readonly FailureGroup[];
  /** Null on the last page. */
  readonly next: GroupPlace | null;
  /** False: there may be more failures than were read, so that counts are lower bounds. */
  readonly isExact: boolean;
}

/**
 * A page of the failures of the last time by cause, the largest group first. Each page reads and
 * groups the failures again, up to the instant of the first page: so no group is left out, and one
 * that has become smaller may come twice.
 */
export async function listFailures(
  deps: EngineDeps,
  { tenantId }: Reader,
  { cursor, limit, members, ...filter }: FailuresQuery,
): Promise<FailuresPage> {
  const reading = { filter, at: cursor?.at ?? null, members };
  const { at, since, groups, isExact } = await readFailures(deps, tenantId, reading);
  const left =
    cursor === null ? groups : groups.filter((group) => compareGroups(group, cursor) > 0);
  const { rows: page, last } = takeGroups(left, { limit, members });
  return {
    since,
    groups: page,
    next: last === undefined ? null : { at, count: last.count, id: last.id },
    isExact,
  };
}

/** As many as fit. One always does, with the members that a request may ask for. */
export function takeGroups<Group extends Pick<FailureGroup, 'count'>>(
  groups: Iterable<Group>,
  { limit, members }: Pick<FailuresQuery, 'limit' | 'members'>,
): Page<Group> {
  const rows: Group[] = [];
  let listed = 0;
  for (const group of groups) {
    listed += Math.min(group.count, members);
    if (rows.length === limit || listed > LISTED_MAX) return { rows, last: rows.at(-1) };
    rows.push(group);
  }
  return { rows, last: undefined };
}
