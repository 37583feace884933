import type { ExecutionContext } from 'ava';

import type { ExecutionId, TenantId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import type { WorkQueue, WorkTicket } from '../../../../src/shared/domain/work/work-item.ts';
import type {
  CommitPlan,
  CommitVerdict,
  NewExecution,
  RefusalReason,
} from '../../../../src/shared/store/commit.ts';
import type {
  ClaimedItem,
  ClaimRequest,
  DueTimer,
  Store,
} from '../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../support/stores.ts';
import {
  makeExecutionId,
  makeItem,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
} from './make.ts';

/** Common first steps of cases, and the two outcomes of a plan. */

export interface Started {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
}

export type Accepted = Extract<CommitVerdict, { readonly accepted: true }>;

/** Starts an execution with one event; `changes` apply to the plan that creates it. */
export async function start(
  store: Store,
  options: {
    readonly tenantId?: TenantId;
    readonly create?: Partial<NewExecution>;
    readonly changes?: Partial<CommitPlan>;
  } = {},
): Promise<Started> {
  const execution = {
    executionId: makeExecutionId(),
    tenantId: options.tenantId ?? makeTenantId(),
  };
  const create = makeNewExecution(options.create);
  await commitOne(
    store,
    makePlan(execution, {
      create,
      events: [makeStarted(create)],
      ...options.changes,
    }),
  );
  return execution;
}

export async function judge(store: Store, plan: CommitPlan): Promise<CommitVerdict> {
  const [verdict] = await store.executions.commit([plan]);
  if (verdict === undefined) throw new Error('a plan got no verdict');
  return verdict;
}

/** Commits a plan that must be accepted. */
export async function commitOne(store: Store, plan: CommitPlan): Promise<Accepted> {
  const verdict = await judge(store, plan);
  if (!verdict.accepted) throw new Error(`the plan was refused: ${verdict.reason}`);
  return verdict;
}

/** The store refuses the plan for that reason, and changes no row of any table. */
export async function refuses(
  t: ExecutionContext,
  database: TestStore,
  expected: { readonly plan: CommitPlan; readonly reason: RefusalReason },
): Promise<void> {
  const before = await database.contents();
  const verdict = await judge(database.store, expected.plan);
  t.like(verdict, { accepted: false, reason: expected.reason });
  t.deepEqual(await database.contents(), before);
}

/** Starts an execution with items on a queue, in the given order. */
export async function startWithItems(
  store: Store,
  tickets: readonly Partial<WorkTicket>[],
): Promise<Started & { readonly tickets: readonly WorkTicket[] }> {
  const execution = await start(store);
  const made = tickets.map((changes) => makeTicket(execution, changes));
  await commitOne(store, makePlan(execution, { newItems: made.map(makeItem) }));
  return { ...execution, tickets: made };
}

export function claim(
  store: Store,
  tenantId: TenantId | null,
  changes: Partial<ClaimRequest> = {},
): Promise<readonly ClaimedItem[]> {
  const queues: readonly WorkQueue[] = tenantId === null ? ['engine'] : ['python_tool'];
  return store.work.claim({
    tenantId,
    queues,
    workerId: 'worker-1',
    leaseMs: 30_000,
    limit: 10,
    shards: null,
    ...changes,
  });
}

/** Leases the only queued item of the tenant. */
export async function claimOne(
  store: Store,
  tenantId: TenantId,
  changes: Partial<ClaimRequest> = {},
): Promise<ClaimedItem> {
  const [item, ...others] = await claim(store, tenantId, changes);
  if (item === undefined || others.length > 0) throw new Error('not exactly one item was claimed');
  return item;
}

export function settleOf(
  item: ClaimedItem,
  options: { readonly onlyIfExpired?: boolean } = {},
): CommitPlan['settles'][number] {
  return {
    workItemId: item.ticket.workItemId,
    leaseFence: item.leaseFence,
    onlyIfExpired: options.onlyIfExpired ?? false,
  };
}

export async function placeOf(store: Store, ticket: WorkTicket): Promise<string | null> {
  const found = await store.work.find(ticket.workItemId, ticket.tenantId);
  return found?.place ?? null;
}

/** Runs the same action `count` times concurrently. */
export function atOnce<Result>(
  count: number,
  run: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/** A requeue, decided on the current state of the execution. */
export async function requeueNow(
  store: Store,
  workItemId: WorkItemId,
  tenantId: TenantId,
): Promise<Awaited<ReturnType<Store['work']['requeue']>>> {
  const found = await store.work.find(workItemId, tenantId);
  const row = found && (await store.executions.find(found.record.executionId, tenantId));
  const expectedSequence = row?.lastSequence ?? 0;
  return store.work.requeue({ workItemId, tenantId, expectedSequence, actorId: 'token:ops' });
}

/** The due timers of an execution. */
export async function listDue(store: Store, execution: Started): Promise<readonly DueTimer[]> {
  const due = await store.timers.listDue({ limit: 1000 });
  return due.filter(({ executionId }) => executionId === execution.executionId);
}
