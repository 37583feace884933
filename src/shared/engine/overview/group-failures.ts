import { hash } from 'node:crypto';

import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { AlikeFailures, FailureMember } from '../../store/readings/failures.ts';
import { normaliseError } from './normalise-error.ts';

/** Alike failures as their reader may see them. `causeKey` is null also if a policy has changed the message. */
export type ShownFailures = Omit<AlikeFailures, 'definitionId'>;

/** Failures of one cause, in one place. */
export interface FailureGroup {
  readonly id: string;
  readonly kind: 'work_item' | 'execution';
  /** The message without numbers, ids, paths and quoted values. */
  readonly cause: string;
  readonly workflowId: string;
  readonly nodeId: string | null;
  readonly tool: string | null;
  readonly queue: WorkQueue | null;
  readonly count: number;
  /** How many belong to executions that have not ended. */
  readonly live: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** The latest first. */
  readonly members: () => readonly FailureMember[];
}

/**
 * The largest group first, as `compareGroups` has them; each with at most `members` of its failures. They are made
 * as far as a page asks for them: most groups are on none.
 */
export function* groupFailures(
  failures: readonly ShownFailures[],
  members: number,
): Generator<FailureGroup, void> {
  const latestFirst = failures.toSorted((one, other) => compare(other.lastAt, one.lastAt));
  const causeOf = rememberCauses();
  const byPlace = Map.groupBy(latestFirst, (alike) => keyOf(alike, causeOf(alike)));
  const bySize = Map.groupBy(byPlace.values(), (own) => sum(own.map(({ count }) => count)));
  for (const count of [...bySize.keys()].toSorted((one, other) => other - one)) {
    const groups = bySize.get(count)?.map((own) => toGroup(own, { causeOf, count, members })) ?? [];
    yield* groups.toSorted(compareGroups);
  }
}

interface Cause {
  readonly text: string;
  /** Within one list. */
  readonly number: number;
}

/** One message of each key is normalised. Without a key, failures of one cause often have one message. */
function rememberCauses(): (alike: ShownFailures) => Cause {
  const byText = new Map<string, Cause>();
  const byKey = new Map<string | number, Cause>();
  return ({ causeKey, error }) => {
    const key = causeKey ?? error;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const text = normaliseError(error);
    const cause = byText.get(text) ?? { text, number: byText.size };
    byText.set(text, cause);
    byKey.set(key, cause);
    return cause;
  };
}

/** No name has the character between. */
function keyOf({ nodeId, place, workflowId }: ShownFailures, { number }: Cause): string {
  const key = `${number}\0${workflowId}\0${nodeId ?? ''}`;
  return place === null ? key : `${key}\0${place.tool}\0${place.queue}`;
}

/** The largest group first, equal ones by id. */
export function compareGroups(
  one: Pick<FailureGroup, 'count' | 'id'>,
  other: Pick<FailureGroup, 'count' | 'id'>,
): number {
  return other.count - one.count || compare(one.id, other.id);
}

/** Where a failure is among those of its group. */
export interface MemberPlace {
  readonly failedAt: string;
  /** See `idOfMember`. */
  readonly id: string;
}

/** The latest first, those of one instant by id. */
export function compareMembers(one: FailureMember, other: FailureMember): number {
  return compare(other.failedAt, one.failedAt) || compare(idOfMember(other), idOfMember(one));
}

/** Whether a list of the members has this one behind the place. */
export function isBehind(member: FailureMember, place: MemberPlace): boolean {
  const order = compare(place.failedAt, member.failedAt) || compare(place.id, idOfMember(member));
  return order > 0;
}

/** The id of the work item, or of the execution that failed. */
export function idOfMember({ workItemId, executionId }: FailureMember): string {
  return workItemId ?? executionId;
}

/** `own` begins with the one that has the latest failure. */
function toGroup(
  own: readonly ShownFailures[],
  {
    causeOf,
    count,
    members,
  }: {
    readonly causeOf: (alike: ShownFailures) => Cause;
    readonly count: number;
    readonly members: number;
  },
): FailureGroup {
  const [latest] = own;
  if (latest === undefined) throw new Error('a group has a failure');
  const place = placeOf(latest, causeOf(latest).text);
  const [firstAt = latest.firstAt] = own.map((alike) => alike.firstAt).toSorted(compare);
  return {
    ...place,
    id: idOf(place),
    count,
    live: sum(own.map(({ live }) => live)),
    firstAt,
    lastAt: latest.lastAt,
    members: () => listMembers(own, members),
  };
}

/** The latest, of all that belong to a group. */
function listMembers(own: readonly ShownFailures[], members: number): readonly FailureMember[] {
  return own
    .flatMap((alike) => alike.latest())
    .toSorted(compareMembers)
    .slice(0, members);
}

type Place = ReturnType<typeof placeOf>;

/** The hash of the place as canonical JSON, whose members are in this order. */
function idOf({ cause, kind, nodeId, queue, tool, workflowId }: Place): string {
  const text = JSON.stringify({ cause, kind, nodeId, queue, tool, workflowId });
  return hash('sha256', text, 'hex').slice(0, 16);
}

function placeOf({ nodeId, place, workflowId }: ShownFailures, cause: string) {
  return {
    kind: place === null ? ('execution' as const) : ('work_item' as const),
    cause,
    workflowId,
    nodeId,
    tool: place?.tool ?? null,
    queue: place?.queue ?? null,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
