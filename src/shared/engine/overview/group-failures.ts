import { hashJson } from '../../domain/canonical-json.ts';
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

/** Each group has at most `members` of its failures. In the order of `compareGroups`. */
export function groupFailures(
  failures: readonly ShownFailures[],
  members: number,
): readonly FailureGroup[] {
  const latestFirst = failures.toSorted((one, other) => compare(other.lastAt, one.lastAt));
  const causeOf = rememberCauses();
  const byPlace = Map.groupBy(latestFirst, (alike) => keyOf(alike, causeOf(alike)));
  const groups: FailureGroup[] = [];
  for (const own of byPlace.values()) {
    const [first] = own;
    if (first === undefined) continue;
    groups.push(toGroup(placeOf(first, causeOf(first).text), own, members));
  }
  return groups.toSorted(compareGroups);
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
  /** The id of the work item, or of the execution that failed. */
  readonly id: string;
}

/** The latest first, those of one instant by id. */
export function compareMembers(one: MemberPlace, other: MemberPlace): number {
  return compare(other.failedAt, one.failedAt) || compare(other.id, one.id);
}

export function placeOfMember({ failedAt, workItemId, executionId }: FailureMember): MemberPlace {
  return { failedAt, id: workItemId ?? executionId };
}

/** `own` begins with the one that has the latest failure. */
function toGroup(place: Place, own: readonly ShownFailures[], membersMax: number): FailureGroup {
  const firsts = own.map(({ firstAt }) => firstAt).toSorted(compare);
  return {
    ...place,
    id: hashJson(place).slice(0, 16),
    count: sum(own.map(({ count }) => count)),
    live: sum(own.map(({ live }) => live)),
    firstAt: firsts[0] ?? '',
    lastAt: own[0]?.lastAt ?? '',
    members: () =>
      own
        .flatMap(({ latest }) => latest())
        .toSorted((one, other) => compareMembers(placeOfMember(one), placeOfMember(other)))
        .slice(0, membersMax),
  };
}

type Place = ReturnType<typeof placeOf>;

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
