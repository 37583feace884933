import type { FailureMember } from '../../store/readings/failures.ts';
import { takePage } from '../../store/rows/take-page.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { idOfMember, isBehind, type MemberPlace } from './group-failures.ts';
import { FAILURES_MAX, type FailuresFilter, readFailures } from './read-failures.ts';

export interface GroupQuery extends FailuresFilter {
  readonly groupId: string;
  readonly cursor: MemberCursor | null;
  readonly limit: number;
}

/** Where a page ended, in the order of the members. */
export interface MemberCursor extends MemberPlace {
  /** ISO instant of the first page. Later failures are on no page after it. */
  readonly at: string;
}

export interface FailuresOfGroup {
  readonly failures: readonly FailureMember[];
  /** Null on the last page. */
  readonly next: MemberCursor | null;
  /** False: the group may have more failures than were read. */
  readonly isExact: boolean;
}

/** A page of all failures of a group, the latest first; none if nothing that is read belongs to it. */
export async function listFailuresOfGroup(
  deps: EngineDeps,
  { tenantId }: Reader,
  { groupId, cursor, limit, ...filter }: GroupQuery,
): Promise<FailuresOfGroup> {
  const reading = { filter, at: cursor?.at ?? null, members: FAILURES_MAX };
  const { at, groups, isExact } = await readFailures(deps, tenantId, reading);
  const members = groups.find(({ id }) => id === groupId)?.members() ?? [];
  const left = cursor === null ? members : members.filter((member) => isBehind(member, cursor));
  const { rows: failures, last } = takePage(left, limit);
  const next = last === undefined ? null : { at, failedAt: last.failedAt, id: idOfMember(last) };
  return { failures, next, isExact };
}
