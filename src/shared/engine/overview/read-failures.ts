import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { gatherCriteria } from '../../domain/execution/query/criteria.ts';
import type { Condition } from '../../domain/execution/query/condition.ts';
import type { DefinitionId, TenantId } from '../../domain/ids.ts';
import type {
  AlikeFailures,
  GroupedFailures,
  GroupingOfFailures,
} from '../../store/readings/failures.ts';
import type { EngineDeps } from '../deps.ts';
import { mayRedactErrors, redactError } from '../executions/redact-view.ts';
import { type FailureGroup, groupFailures, type ShownFailures } from './group-failures.ts';

/** How many of each kind are read: the latest. */
export const FAILURES_MAX = 1_000;
/** So many of each kind are looked through at most, for those that fit; half as many with a search for each. */
const SCANNED_MAX = 6_000;

/** The failures that are grouped. */
export interface FailuresFilter {
  /** How far back. */
  readonly withinMs: number;
  /** Null: of all workflows. */
  readonly workflowId: string | null;
  /** Executions fit them; a condition on errors is compared with the error of the failure. */
  readonly conditions: readonly Condition[];
}

export interface FailuresReading {
  /** ISO instants: of this reading, and how far back it looks. */
  readonly at: string;
  readonly since: string;
  /** In the order of `compareGroups`. */
  readonly groups: IteratorObject<FailureGroup, void>;
  /** False: there may be more failures than were read, so that counts are lower bounds. */
  readonly isExact: boolean;
}

/**
 * The failures of the last time by cause, the largest group first, with at most `members` of each. `at`: the
 * instant of the first page, as later failures count on no page after it; null: this is the first.
 */
export async function readFailures(
  deps: EngineDeps,
  tenantId: TenantId,
  {
    filter: { withinMs, workflowId, conditions: own },
    at: firstAt,
    members,
  }: {
    readonly filter: FailuresFilter;
    readonly at: string | null;
    readonly members: number;
  },
): Promise<FailuresReading> {
  const at = firstAt ?? (await deps.store.diagnosis.clock());
  const now = Date.parse(at);
  const since = new Date(now - withinMs).toISOString();
  const before = firstAt === null ? null : new Date(now + 1).toISOString();
  const ofWorkflow: readonly Condition[] =
    workflowId === null ? [] : [{ field: 'workflow', operator: 'in', values: [workflowId] }];
  const window = { tenantId, conditions: [...ofWorkflow, ...own], since, now, before, members };
  const known = deps.definitions
    .cachedOf(tenantId)
    .filter(({ plan }) => mayRedactErrors(plan))
    .map(({ definition }) => definition.definitionId);
  const read = await Promise.all([
    readShown(deps, (byMessage) => readItems(deps, window, byMessage), known),
    readShown(deps, (byMessage) => readExecutions(deps, window, byMessage), known),
  ]);
  const groups = groupFailures(
    read.flatMap(({ failures }) => failures),
    members,
  );
  return { at, since, groups, isExact: read.every(({ isExact }) => isExact) };
}

interface Window {
  readonly tenantId: TenantId;
  readonly conditions: readonly Condition[];
  readonly since: string;
  /** Milliseconds of the clock that executions are stored by. */
  readonly now: number;
  /** Exclusive; null: until now. */
  readonly before: string | null;
  readonly members: number;
}

interface ReadFailures {
  readonly failures: readonly ShownFailures[];
  readonly isExact: boolean;
}

type ByMessage = GroupingOfFailures['byMessage'];

/**
 * Failures as policies let them be seen. The stored groups are by stored messages, and a policy may hide what
 * differs between two, or leave a part that differs. So those of a policy are read message by message:
 * again, where this process learns only from the groups that a definition has such a policy.
 */
async function readShown(
  deps: EngineDeps,
  read: (byMessage: ByMessage) => Promise<GroupedFailures>,
  byMessage: ByMessage,
): Promise<ReadFailures> {
  const { groups, isExact } = await read(byMessage);
  const plans = await readPlans(deps, groups);
  const redacted = [...plans].filter(([, plan]) => mayRedactErrors(plan)).map(([id]) => id);
  const isKnown = new Set(byMessage);
  if (!redacted.every((id) => isKnown.has(id))) {
    return readShown(deps, read, [...byMessage, ...redacted]);
  }
  return { failures: groups.map((alike) => show(deps, plans, alike)), isExact };
}

async function readItems(
  deps: EngineDeps,
  { tenantId, conditions, since, before, now, members }: Window,
  byMessage: ByMessage,
): Promise<GroupedFailures> {
  return deps.store.workOverview.groupFailedItems({
    tenantId,
    criteria: gatherCriteria(conditions, now),
    since,
    before,
    limit: FAILURES_MAX,
    within: SCANNED_MAX,
    grouping: { members, byMessage },
  });
}

/** They are found by their beginning, as no index has their end. */
async function readExecutions(
  deps: EngineDeps,
  { tenantId, conditions, since, before, now, members }: Window,
  byMessage: ByMessage,
): Promise<GroupedFailures> {
  const failed: Condition[] = [
    { field: 'status', operator: 'in', values: ['failed'] },
    { field: 'started', operator: '>=', at: { instant: since } },
  ];
  if (before !== null) failed.push({ field: 'ended', operator: '<', at: { instant: before } });
  const criteria = gatherCriteria([...failed, ...conditions], now);
  // A query for executions of another status would look through them for nothing.
  if (criteria.statuses?.length === 0) return { groups: [], isExact: true };
  return deps.store.executionSearch.groupFailed({
    tenantId,
    criteria,
    limit: FAILURES_MAX,
    within: SCANNED_MAX,
    grouping: { members, byMessage },
  });
}

type Plans = ReadonlyMap<DefinitionId, Plan>;

/** Few definitions have all the failures. */
async function readPlans(
  deps: EngineDeps,
  groups: readonly Pick<AlikeFailures, 'definitionId'>[],
): Promise<Plans> {
  const ids = [...new Set(groups.map(({ definitionId }) => definitionId))];
  const read = ids.map(async (id) => [id, (await deps.definitions.get(id)).plan] as const);
  return new Map(await Promise.all(read));
}

/** A key is that of the stored message, and tells nothing of another. All of a policy have the same message. */
function show({ pseudonym }: EngineDeps, plans: Plans, alike: AlikeFailures): ShownFailures {
  const plan = plans.get(alike.definitionId);
  if (plan === undefined) throw new Error(`the plan of ${alike.definitionId} was not read`);
  if (!mayRedactErrors(plan)) return alike;
  const of = { plan, nodeId: alike.place === null ? null : alike.nodeId, pseudonym };
  const error = redactError(alike.error, of);
  const latest = () => alike.latest().map((one) => ({ ...one, error: redactError(one.error, of) }));
  return { ...alike, error, latest, causeKey: error === alike.error ? alike.causeKey : null };
}
