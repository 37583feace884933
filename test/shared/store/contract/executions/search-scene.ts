import { gatherCriteria } from '../../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../../src/shared/domain/execution/query/parse-query.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { CommitPlan, NewExecution } from '../../../../../src/shared/store/commit.ts';
import type {
  CountExecutions,
  ExecutionCounts,
} from '../../../../../src/shared/store/executions.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { commitOne, start, type Started } from '../drive.ts';
import {
  makeCause,
  makeDefinitionId,
  makeEvent,
  makeKey,
  makePlan,
  makeTenantId,
} from '../make.ts';

export interface Scene {
  readonly store: Store;
  readonly tenantId: TenantId;
  readonly names: ReadonlyMap<string, Started['executionId']>;
}

/** Five executions, from `a` to `e` in the order of their start. */
export async function fill(store: Store, ir: JsonObject = {}): Promise<Scene> {
  const tenantId = makeTenantId();
  const names = new Map<string, Started['executionId']>();
  const definitionId = makeDefinitionId();
  await store.definitions.register({
    definitionId,
    tenantId,
    workflowId: 'orders',
    version: '1',
    ir: { workflow_id: 'orders', ...ir },
    irHash: makeKey(),
    actorId: 'user:test',
  });
  const add = async (
    label: string,
    create: Partial<NewExecution>,
    end: Pick<CommitPlan, 'status' | 'error' | 'failure'> | null,
  ) => {
    const started = await start(store, { tenantId, create: { definitionId, ...create } });
    names.set(label, started.executionId);
    if (end !== null) await commitOne(store, makePlan(started, { events: [makeEvent()], ...end }));
  };
  const orders = { workflowId: 'orders', workflowVersion: '1' };
  await add('a', { ...orders, workflowVersion: '2' }, null);
  const labels = { customer: 'acme' };
  const brown = { customer: 'Brown & Co', tier: 'gold' };
  await add(
    'b',
    { ...orders, labels: { ...labels, tier: 'gold' } },
    { status: 'completed', error: null, failure: null },
  );
  await add(
    'c',
    { ...orders, labels: brown },
    {
      status: 'failed',
      error: 'A TimeOut of the bank',
      failure: { nodeId: 'pay', ...makeCause({ errorClass: 'Timeout' }) },
    },
  );
  await add(
    'd',
    { workflowId: 'refunds', workflowVersion: '2', labels },
    {
      status: 'failed',
      error: 'timeout after 100% of tries',
      failure: { nodeId: null, ...makeCause({ errorClass: 'Deadline', causeKey: 2 ** 48 - 1 }) },
    },
  );
  const parentExecutionId = names.get('a') ?? null;
  await add('e', { workflowId: 'refunds', workflowVersion: '1', parentExecutionId }, null);
  return { store, tenantId, names };
}

export async function search(scene: Scene, query: string): Promise<readonly string[]> {
  return readAll(scene, query, { limit: 100, within: 1_000 });
}

/** The labels of what a query finds, over all its pages. */
export async function readAll(
  { store, tenantId, names }: Scene,
  query: string,
  page: { readonly limit: number; readonly within: number },
): Promise<readonly string[]> {
  const criteria = await criteriaOf(store, query);
  const labels = new Map([...names].map(([label, id]) => [id, label]));
  const found: string[] = [];
  let cursor: Parameters<Store['executionSearch']['search']>[0]['cursor'] = null;
  do {
    const { rows, next } = await store.executionSearch.search({
      tenantId,
      criteria,
      cursor,
      ...page,
    });
    found.push(...rows.map(({ executionId }) => labels.get(executionId) ?? executionId));
    cursor = next;
  } while (cursor !== null);
  return found;
}

export async function count(
  { store, tenantId }: Scene,
  query: string,
  params: Partial<CountExecutions> = {},
) {
  return store.executionSearch.count({
    tenantId,
    criteria: await criteriaOf(store, query),
    within: { entries: 1_000, rows: 1_000 },
    by: null,
    from: null,
    to: new Date(Date.parse(await store.diagnosis.clock()) + 1).toISOString(),
    buckets: 4,
    ...params,
  });
}

export async function criteriaOf(store: Store, query: string) {
  const { conditions, problems } = parseQuery(query);
  if (problems !== null) throw new Error(problems[0]?.message);
  return gatherCriteria(conditions, Date.parse(await store.diagnosis.clock()) + 1);
}

export function sumOf({ groups }: ExecutionCounts): number {
  return groups.reduce((sum, { count: own }) => sum + own, 0);
}
