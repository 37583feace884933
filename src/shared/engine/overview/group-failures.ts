import { hashJson } from '../../domain/canonical-json.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { FailedItem } from '../../store/readings/work-overview.ts';
import { normaliseError } from './normalise-error.ts';

const MEMBERS_MAX = 50;

/** A failure as its reader may see it. */
export interface Failure {
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly error: string;
  /** Equal for messages of one cause; null: not known, or of another message than this one. */
  readonly causeKey: number | null;
  /** ISO instant. */
  readonly failedAt: string;
  /** Null: the execution failed. */
  readonly item: Pick<FailedItem, 'workItemId' | 'nodeId' | 'tool' | 'queue' | 'isLive'> | null;
}

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
  /** The latest ones. */
  readonly members: readonly Failure[];
}

/** In the order of `compareGroups`. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
  const causeOf = rememberCauses();
  const byPlace = Map.groupBy(failures, (failure) => keyOf(failure, causeOf(failure)));
  const groups: FailureGroup[] = [];
  for (const own of byPlace.values()) {
    const latestFirst = own.toSorted((one, other) => compare(other.failedAt, one.failedAt));
    const [latest] = latestFirst;
    if (latest === undefined) continue;
    groups.push(toGroup(placeOf(latest, causeOf(latest).text), latest, latestFirst));
  }
  return groups.toSorted(compareGroups);
}

interface Cause {
  readonly text: string;
  /** Within one list. */
  readonly number: number;
}

/** One message of each key is normalised. Without a key, failures of one cause often have one message. */
function rememberCauses(): (failure: Failure) => Cause {
  const byText = new Map<string, Cause>();
  const byKey = new Map<string | number, Cause>();
  return ({ error, causeKey }) => {
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

/** Short, as each failure has one. No name has the character between. */
function keyOf({ item, workflowId }: Failure, { number }: Cause): string {
  if (item === null) return `${number}\0${workflowId}`;
  return `${number}\0${workflowId}\0${item.nodeId}\0${item.tool}\0${item.queue}`;
}

/** The largest group first, equal ones by id. */
export function compareGroups(
  one: Pick<FailureGroup, 'count' | 'id'>,
  other: Pick<FailureGroup, 'count' | 'id'>,
): number {
  return other.count - one.count || compare(one.id, other.id);
}

function toGroup(place: Place, latest: Failure, own: readonly Failure[]): FailureGroup {
  return {
    ...place,
    id: hashJson(place).slice(0, 16),
    count: own.length,
    live: own.filter(({ item }) => item?.isLive === true).length,
    firstAt: (own.at(-1) ?? latest).failedAt,
    lastAt: latest.failedAt,
    members: own.slice(0, MEMBERS_MAX),
  };
}

type Place = ReturnType<typeof placeOf>;

function placeOf({ item, workflowId }: Failure, cause: string) {
  return {
    kind: item === null ? ('execution' as const) : ('work_item' as const),
    cause,
    workflowId,
    nodeId: item?.nodeId ?? null,
    tool: item?.tool ?? null,
    queue: item?.queue ?? null,
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
