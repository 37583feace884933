import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import { shortestDays, type RetentionDays } from '../../domain/retention/retention-policy.ts';
import type {
  DueExecution,
  RetentionSelection,
  RetentionStore,
  ScanPosition,
} from '../../store/retention.ts';
import { allPolicies } from './all-policies.ts';

/** Which executions are asked for. */
export interface RetentionRequest extends RetentionSelection {
  /** Null: of all tenants. */
  readonly tenantId: TenantId | null;
  /** Where no policy of the database says anything. */
  readonly defaults: RetentionDays;
}

/** Ends the search early, and says so. */
export interface ScanBudget {
  /** How many more scans there may be. */
  left: number;
  /** How many executions each looks through. */
  readonly atATime: number;
  /** Asked before each scan. */
  readonly hasTime: () => boolean;
  /** There was more to look through than the budget allowed. */
  isOver: boolean;
}

const UNBOUNDED: ScanBudget = {
  left: Infinity,
  atATime: 1_000,
  hasTime: () => true,
  isOver: false,
};
const DAY_MS = 86_400_000;
const SWEEP_GRACE_DAYS = 2;

/**
 * The executions that may be removed, some of one tenant at a time, oldest first. An execution
 * after another (its parent, the run before it) comes only after that one.
 */
export async function* scanDue(
  store: RetentionStore,
  request: RetentionRequest,
  budget: ScanBudget = { ...UNBOUNDED },
): AsyncGenerator<readonly DueExecution[]> {
  for await (const tenantId of tenantsOf(store, request)) {
    const ageMsMin = await leastAge(store, tenantId, request);
    if (ageMsMin === null) continue;
    const leading = new Set<ExecutionId>();
    let after: ScanPosition | null = null;
    do {
      if (budget.left <= 0 || !budget.hasTime()) {
        budget.isOver = true;
        return;
      }
      budget.left -= 1;
      const { due, next } = await store.scan({
        ...request,
        tenantId,
        ageMsMin,
        after,
        limit: budget.atATime,
      });
      const ready = due.filter((execution) => {
        if (!execution.behind.every((id) => leading.has(id))) return false;
        if (execution.leads) leading.add(execution.executionId);
        return true;
      });
      if (ready.length > 0) yield ready;
      after = next;
    } while (after !== null);
  }
}

/** Without anything that holds for all only those that have a policy. */
async function* tenantsOf(
  store: RetentionStore,
  { tenantId: only, olderThanMs, defaults }: RetentionRequest,
): AsyncGenerator<TenantId> {
  if (only !== null) return yield only;
  if (olderThanMs === null && shortestDays([defaults]) === null) {
    return yield* tenantsWithPolicies(store);
  }
  let tenantId = await store.nextTenant(null);
  while (tenantId !== null) {
    yield tenantId;
    tenantId = await store.nextTenant(tenantId);
  }
}

async function* tenantsWithPolicies(store: RetentionStore): AsyncGenerator<TenantId> {
  let last: TenantId | null = null;
  for await (const { tenantId } of allPolicies(store, null)) {
    if (tenantId !== last) yield tenantId;
    last = tenantId;
  }
}

/** Younger executions need no look. Null: the tenant never removes any. */
export async function leastAge(
  store: RetentionStore,
  tenantId: TenantId,
  { olderThanMs, defaults }: Pick<RetentionRequest, 'olderThanMs' | 'defaults'>,
): Promise<number | null> {
  if (olderThanMs !== null) return olderThanMs;
  const days = await readShortestDays(store, tenantId, defaults);
  return days === null ? null : days * DAY_MS;
}

/**
 * How long events of removed executions wait for their partition to be dropped: once everything in it
 * that is not kept for longer than the rest has had its time, they are deleted from it. Null: nothing
 * is ever removed.
 */
export async function sweepAfterMs(
  store: RetentionStore,
  defaults: RetentionDays,
): Promise<number | null> {
  const days = await readShortestDays(store, null, defaults);
  return days === null ? null : (days + SWEEP_GRACE_DAYS) * DAY_MS;
}

async function readShortestDays(
  store: RetentionStore,
  tenantId: TenantId | null,
  defaults: RetentionDays,
): Promise<number | null> {
  const all: RetentionDays[] = [defaults];
  for await (const { days } of allPolicies(store, tenantId)) all.push(days);
  return shortestDays(all);
}
