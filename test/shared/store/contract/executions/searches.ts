import type { Labels } from '../../../../../src/shared/domain/execution/labels/labels.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, start } from '../drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../make.ts';
import { count, criteriaOf, fill, readAll, search, sumOf } from './search-scene.ts';

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
    'failed executions that a search finds are in groups by their cause',
    async (t, { store }) => {
      const { tenantId, names } = await fill(store);
      const read = async (query: string, limit = 10, within = 10) =>
        store.executionSearch.groupFailed({
          tenantId,
          criteria: await criteriaOf(store, `status = failed and ${query}`),
          limit,
          within,
          grouping: { members: 10, byMessage: [] },
        });
      const { groups, isExact } = await read('error ~ timeout');
      t.true(isExact);
      const { rows } = await store.executionSearch.search({
        tenantId,
        criteria: await criteriaOf(store, 'status = failed'),
        cursor: null,
        limit: 10,
        within: 10,
      });
      const keys = new Map([
        [names.get('c'), 1],
        [names.get('d'), 2 ** 48 - 1],
      ]);
      const told = rows.map(({ executionId, definitionId, workflowId, ...row }) => ({
        definitionId,
        workflowId,
        nodeId: row.errorNodeId,
        place: null,
        causeKey: keys.get(executionId) ?? null,
        count: 1,
        live: 0,
        firstAt: row.completedAt ?? '',
        lastAt: row.completedAt ?? '',
        error: row.error ?? '',
        latest: [
          {
            executionId,
            workItemId: null,
            error: row.error ?? '',
            failedAt: row.completedAt ?? '',
            isLive: false,
          },
        ],
      }));
      const tell = (read: typeof groups) =>
        read.map((group) => ({ ...group, latest: group.latest() }));
      t.is(told.length, 2);
      t.deepEqual(
        tell(groups.toSorted((one, other) => (other.causeKey ?? 0) - (one.causeKey ?? 0))),
        told,
      );
      t.deepEqual(tell((await read('workflow = orders')).groups), told.slice(1));
      t.true((await read('workflow ~ e', 3)).isExact);
      t.false((await read('workflow ~ e', 2)).isExact);
      t.like(await read('workflow ~ e', 1), {
        groups: [{ workflowId: 'refunds' }],
        isExact: false,
      });
      t.true((await read('error ~ timeout', 10, 2)).isExact);
      t.false((await read('error ~ timeout', 10, 1)).isExact);
    },
  );

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

  check('a search by classes finds the executions that failed with one', async (t, { store }) => {
    const scene = await fill(store);
    t.deepEqual(await search(scene, 'error_class = Timeout'), ['c']);
    t.deepEqual(await search(scene, 'error_class = timeout'), []);
    t.deepEqual(await search(scene, 'error_class in (Timeout, Deadline)'), ['d', 'c']);
    t.deepEqual(await search(scene, 'error_class = Timeout and error_class = Deadline'), []);
    t.deepEqual(await search(scene, 'error_class = Deadline and status != completed'), ['d']);
    t.deepEqual(await search(scene, 'error_class = Deadline and status = completed'), []);
    t.deepEqual(await search(scene, 'error_class = Timeout and error ~ bank'), ['c']);
    t.deepEqual(await search(scene, 'error_class = Timeout and error ~ tries'), []);
    t.deepEqual(await search(scene, 'error_class = Deadline and labels.customer = acme'), ['d']);
    t.deepEqual((await count(scene, 'error_class = Timeout', { buckets: 1 })).groups, [
      { bucket: 0, status: 'failed', count: 1 },
    ]);
  });

  check('a search by classes finds none that failed without one', async (t, { store }) => {
    const tenantId = makeTenantId();
    const started = await start(store, { tenantId });
    const end = { status: 'failed', error: 'boom', failure: null } as const;
    await commitOne(store, makePlan(started, { events: [makeEvent()], ...end }));
    const names = new Map([['old', started.executionId]]);
    const scene = { store, tenantId, names };
    t.deepEqual(await search(scene, 'error_class = error'), []);
    t.deepEqual(await search(scene, 'status = failed'), ['old']);
  });

  check('a list tells the class of an error and the node that failed', async (t, { store }) => {
    const { tenantId } = await fill(store);
    const page = { tenantId, cursor: null, limit: 10 };
    const all = { status: null, workflowId: null, createdAfter: null, createdBefore: null };
    const listed = await store.executions.list({ ...page, ...all, offset: 0 });
    const criteria = await criteriaOf(store, '');
    const { rows } = await store.executionSearch.search({ ...page, criteria, within: 10 });
    for (const found of [listed, rows]) {
      t.deepEqual(
        found.map(({ errorClass, errorNodeId }) => [errorClass, errorNodeId]),
        [
          [null, null],
          ['Deadline', null],
          ['Timeout', 'pay'],
          [null, null],
          [null, null],
        ],
      );
    }
  });

  check('a search by errors finds none of a workflow that hides data', async (t, { store }) => {
    const scene = await fill(store, { node: { data_policy: { redact: ['pii'] } } });
    t.deepEqual(await search(scene, 'error ~ timeout'), []);
    t.deepEqual(await search(scene, 'error_class in (Timeout, Deadline)'), []);
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

  const queries = [
    'status = failed',
    'version != "1"',
    'error ~ timeout',
    'error_class = Timeout',
    '',
  ];
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
        const { store: own, tenantId } = scene;
        const criteria = await criteriaOf(own, query);
        const full = { tenantId, criteria, cursor: null, limit: whole.length, within: 100 };
        t.is((await own.executionSearch.search(full)).next, null, 'a full page is the last');
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
}
