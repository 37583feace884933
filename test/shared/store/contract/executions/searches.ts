import { gatherCriteria } from '../../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../../src/shared/domain/execution/query/parse-query.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { NewExecution } from '../../../../../src/shared/store/commit.ts';
import type {
  CountExecutions,
  ExecutionCounts,
} from '../../../../../src/shared/store/executions.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { Labels } from '../../../../../src/shared/domain/execution/labels/labels.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, start, type Started } from '../drive.ts';
import { makeDefinitionId, makeEvent, makeKey, makePlan, makeTenantId } from '../make.ts';

export function searchCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a search finds the executions that fit all conditions', async (t, { store }) => {
    const scene = await fill(store);
    const { names } = scene;
    t.deepEqual(await search(scene, ''), ['e', 'd', 'c', 'b', 'a']);
    t.deepEqual(await search(scene, 'status = failed'), ['d', 'c']);
    t.deepEqual(await search(scene, 'status != failed'), ['e', 'b', 'a']);
    t.deepEqual(await search(scene, 'status in (completed, failed)'), ['d', 'c', 'b']);
    t.deepEqual(await search(scene, 'status = failed and status = completed'), []);
    t.deepEqual(await search(scene, 'workflow = orders'), ['c', 'b', 'a']);
    t.deepEqual(await search(scene, 'workflow = orders and status = completed'), ['b']);
    t.deepEqual(await search(scene, 'workflow in (refunds, nothing)'), ['e', 'd']);
    t.deepEqual(await search(scene, 'workflow ~ FUND'), ['e', 'd']);
    t.deepEqual(await search(scene, 'workflow ~ orders and workflow ~ "%"'), []);
    t.deepEqual(await search(scene, 'version != "1"'), ['d', 'a']);
    t.deepEqual(await search(scene, 'version = "1" and status = failed'), ['c']);
    t.deepEqual(await search(scene, `parent = ${names.get('a') ?? ''}`), ['e']);
    t.deepEqual(await search(scene, `id in (${names.get('a') ?? ''}, ${names.get('d') ?? ''})`), [
      'd',
      'a',
    ]);
    t.deepEqual(await search(scene, 'ended > -1h'), ['d', 'c', 'b']);
    t.deepEqual(await search(scene, 'started > -1h and started < now'), ['e', 'd', 'c', 'b', 'a']);
    t.deepEqual(await search(scene, 'started < -1h'), []);
  });

  check('a search finds executions by their labels', async (t, { store }) => {
    const scene = await fill(store);
    t.deepEqual(await search(scene, 'labels.customer = acme'), ['d', 'b']);
    t.deepEqual(await search(scene, 'labels.customer = acme and status = failed'), ['d']);
    t.deepEqual(await search(scene, 'labels.customer = acme and labels.tier = gold'), ['b']);
    t.deepEqual(await search(scene, 'labels.tier = gold and labels.customer != acme'), ['c']);
    t.deepEqual(await search(scene, 'labels.customer != acme'), ['e', 'c', 'a']);
    t.deepEqual(await search(scene, 'labels.customer in (acme, "Brown & Co")'), ['d', 'c', 'b']);
    t.deepEqual(await search(scene, 'labels.customer ~ BROWN'), ['c']);
    t.deepEqual(await search(scene, 'labels.customer = acme and labels.customer = none'), []);
    t.deepEqual(await search(scene, 'labels.Customer = acme'), []);
    t.deepEqual(await search(scene, 'labels.customer = acme and started > -1h'), ['d', 'b']);
    t.deepEqual(await search(scene, 'labels.customer = acme and started < -1h'), []);
    const { groups } = await count(scene, 'labels.customer = acme', { buckets: 1 });
    t.deepEqual(groups, [
      { bucket: 0, status: 'completed', count: 1 },
      { bucket: 0, status: 'failed', count: 1 },
    ]);
    t.deepEqual(
      (await count(scene, 'labels.tier ~ gold and labels.customer ~ b')).groups.length,
      1,
    );
  });

  check(
    'a search by two labels looks through the executions of the rarer',
    async (t, { store }) => {
      const scene = await fill(store);
      const { tenantId } = scene;
      const common = { region: 'eu' };
      const add = (labels: Labels) => start(store, { tenantId, create: { labels } });
      const rare = await add({ ...common, incident: 'one' });
      for (let more = 0; more < 5; more += 1) await add(common);
      for (const query of [
        'labels.region = eu and labels.incident = one',
        'labels.incident = one and labels.region = eu',
      ]) {
        const { rows, next } = await store.executionSearch.search({
          tenantId,
          criteria: await criteriaOf(store, query),
          cursor: null,
          limit: 10,
          within: 4,
        });
        t.deepEqual(
          rows.map(({ executionId }) => executionId),
          [rare.executionId],
          query,
        );
        t.is(next, null, query);
        const counted = await count(scene, query, { within: { entries: 4, rows: 4 } });
        t.deepEqual([sumOf(counted), counted.isExact], [1, true], query);
      }
    },
  );

  check('a list tells the labels of each execution', async (t, { store }) => {
    const { tenantId, names } = await fill(store);
    const rows = await store.executions.list({
      tenantId,
      status: null,
      workflowId: null,
      createdAfter: null,
      createdBefore: null,
      cursor: null,
      limit: 10,
      offset: 1,
    });
    const ids = new Map([...names].map(([name, id]) => [id, name]));
    t.deepEqual(
      rows.map(({ executionId, labels }) => [ids.get(executionId), labels]),
      [
        ['d', { customer: 'acme' }],
        ['c', { customer: 'Brown & Co', tier: 'gold' }],
        ['b', { customer: 'acme', tier: 'gold' }],
        ['a', {}],
      ],
    );
    const { rows: found } = await store.executionSearch.search({
      tenantId,
      criteria: await criteriaOf(store, 'labels.tier = gold'),
      cursor: null,
      limit: 1,
      within: 10,
    });
    t.deepEqual(
      found.map(({ labels }) => labels),
      [{ customer: 'Brown & Co', tier: 'gold' }],
    );
  });

  check(
    'a search by errors ignores the case, and takes no character for a wildcard',
    async (t, { store }) => {
      const scene = await fill(store);
      t.deepEqual(await search(scene, 'error ~ TIMEOUT'), ['d', 'c']);
      t.deepEqual(await search(scene, 'error ~ "100% of" and error ~ timeout'), ['d']);
      t.deepEqual(await search(scene, 'error ~ "100_ of"'), []);
      t.deepEqual(await search(scene, `error ~ "' or 1 = 1 --"`), []);
    },
  );

  check('a search by errors finds none of a workflow that hides data', async (t, { store }) => {
    const scene = await fill(store, { node: { data_policy: { redact: ['pii'] } } });
    t.deepEqual(await search(scene, 'error ~ timeout'), []);
    t.deepEqual(await search(scene, 'status = failed'), ['d', 'c']);
    t.deepEqual((await count(scene, 'error ~ timeout')).groups, []);
  });

  check('a search sees nothing of another tenant', async (t, { store }) => {
    const scene = await fill(store);
    const other = { ...scene, tenantId: makeTenantId() };
    t.deepEqual(await search(other, ''), []);
    t.deepEqual(await search(other, `id = ${scene.names.get('a') ?? ''}`), []);
    t.deepEqual((await count(other, '')).groups, []);
  });

  const queries = ['status = failed', 'version != "1"', 'error ~ timeout', ''];
  const byLabel = [
    'labels.customer = acme',
    'labels.customer = acme and status = failed',
    'labels.customer = acme and labels.tier = gold',
    'labels.customer = acme and labels.tier != gold',
    'labels.tier = gold and labels.customer in (acme, "Brown & Co")',
    'labels.tier = gold and labels.customer ~ brown and status = failed',
  ];
  for (const query of [...queries, ...byLabel]) {
    check(
      `pages of "${query}" are the whole, however little a page looks through`,
      async (t, { store }) => {
        const scene = await fill(store);
        const whole = await search(scene, query);
        for (const [limit, within] of [
          [1, 1],
          [1, 2],
          [2, 3],
          [5, 1],
          [2, 100],
        ] as const) {
          t.deepEqual(
            await readAll(scene, query, { limit, within }),
            whole,
            `${limit} of ${within}`,
          );
        }
      },
    );
  }

  check('counts are by status and by the time of the start', async (t, { store }) => {
    const scene = await fill(store);
    const { groups, from, isExact } = await count(scene, '', { buckets: 1 });
    t.deepEqual(groups, [
      { bucket: 0, status: 'completed', count: 1 },
      { bucket: 0, status: 'failed', count: 2 },
      { bucket: 0, status: 'running', count: 2 },
    ]);
    t.true(isExact);
    const oldest = scene.names.get('a');
    const row = oldest === undefined ? null : await store.executions.find(oldest, scene.tenantId);
    t.is(from, row?.createdAt ?? 'unknown');
    const failed = await count(scene, 'error ~ "100% of"', { buckets: 10 });
    t.is(
      failed.groups.reduce((sum, { count: own }) => sum + own, 0),
      1,
    );
  });

  check('counts fall into the buckets of the given times', async (t, { store }) => {
    const scene = await fill(store);
    const day = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * day).toISOString();
    const bucketsOf = async (from: string, to: string) =>
      (await count(scene, 'status = running', { from, to, buckets: 4 })).groups.map(
        ({ bucket, count: own }) => [bucket, own],
      );
    t.deepEqual(await bucketsOf(at(-3), at(5)), [[1, 2]]);
    t.deepEqual(await bucketsOf(at(-8), at(-4)), [[3, 2]]);
    t.deepEqual(await bucketsOf(at(4), at(8)), [[0, 2]]);
    t.deepEqual(await bucketsOf(at(4), at(4)), [[0, 2]]);
    const nothing = await count(scene, 'status = paused', {});
    t.deepEqual([nothing.groups, nothing.from], [[], null]);
  });

  for (const within of [2, 4, 1_000]) {
    check(
      `a count of ${within} is the same by entries of an index and by executions`,
      async (t, { store }) => {
        const scene = await fill(store);
        const to = new Date(Date.now() + 1_000).toISOString();
        const from = new Date(Date.now() - 86_400_000).toISOString();
        for (const status of [
          '',
          'status = failed',
          'status != failed',
          'status in (failed, failed, running)',
        ]) {
          for (const buckets of [1, 3, 7]) {
            for (const range of [{ to }, { from, to }, { to: from }]) {
              const params = { within: { entries: within, rows: within }, buckets, ...range };
              // A condition that all fit, which no index answers.
              const compared = `${status}${status && ' and '}version != "none"`;
              t.deepEqual(
                await count(scene, status, params),
                await count(scene, compared, params),
                JSON.stringify([status, params]),
              );
            }
          }
        }
      },
    );
  }

  check('a count says that it did not look through everything', async (t, { store }) => {
    const scene = await fill(store);
    const { groups, isExact } = await count(scene, '', {
      within: { entries: 2, rows: 2 },
      buckets: 1,
    });
    t.is(
      groups.reduce((sum, { count: own }) => sum + own, 0),
      2,
    );
    t.false(isExact);
  });

  check('a count that reads executions looks through fewer', async (t, { store }) => {
    const scene = await fill(store);
    const within = { entries: 100, rows: 2 };
    const counted = async (query: string) => {
      const counts = await count(scene, query, { within });
      return [sumOf(counts), counts.isExact];
    };
    t.deepEqual(await counted(''), [5, true]);
    t.deepEqual(await counted('status != running'), [3, true]);
    t.deepEqual(await counted('workflow = orders'), [2, false]);
    t.deepEqual(await counted('version != none'), [2, false]);
    t.deepEqual(await counted('labels.customer = acme'), [1, false], 'of a label, half as many');
  });

  check('groups are counted of the same executions as the count beside', async (t, { store }) => {
    const scene = await fill(store);
    for (const query of ['', 'status != failed', 'version != none', 'labels.customer = acme']) {
      for (const by of [
        { field: 'status' },
        { field: 'workflow' },
        { field: 'version' },
        { field: 'labels', label: 'tier' },
      ] as const) {
        for (const rows of [1, 2, 4, 100]) {
          const within = { entries: 100, rows };
          const criteria = await criteriaOf(store, query);
          const { tenantId } = scene;
          const own = { tenantId, criteria, within, by, limit: 10 };
          const groups = await store.executionSearch.countGroups(own);
          t.is(
            groups.reduce((sum, { count: each }) => sum + each, 0),
            sumOf(await count(scene, query, { within, by })),
            JSON.stringify([query, by, rows]),
          );
        }
      }
    }
  });
}

function sumOf({ groups }: ExecutionCounts): number {
  return groups.reduce((sum, { count: own }) => sum + own, 0);
}

interface Scene {
  readonly store: Store;
  readonly tenantId: TenantId;
  readonly names: ReadonlyMap<string, Started['executionId']>;
}

/** Five executions, from `a` to `e` in the order of their start. */
async function fill(store: Store, ir: JsonObject = {}): Promise<Scene> {
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
    end: { readonly status: 'completed' | 'failed'; readonly error: string | null } | null,
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
    { status: 'completed', error: null },
  );
  await add(
    'c',
    { ...orders, labels: brown },
    { status: 'failed', error: 'A TimeOut of the bank' },
  );
  await add(
    'd',
    { workflowId: 'refunds', workflowVersion: '2', labels },
    {
      status: 'failed',
      error: 'timeout after 100% of tries',
    },
  );
  const parentExecutionId = names.get('a') ?? null;
  await add('e', { workflowId: 'refunds', workflowVersion: '1', parentExecutionId }, null);
  return { store, tenantId, names };
}

async function search(scene: Scene, query: string): Promise<readonly string[]> {
  return readAll(scene, query, { limit: 100, within: 1_000 });
}

/** The labels of what a query finds, over all its pages. */
async function readAll(
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

async function count(
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

async function criteriaOf(store: Store, query: string) {
  const { conditions, problems } = parseQuery(query);
  if (problems !== null) throw new Error(problems[0]?.message);
  return gatherCriteria(conditions, Date.parse(await store.diagnosis.clock()) + 1);
}
