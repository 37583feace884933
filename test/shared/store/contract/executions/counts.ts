import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { count, fill, sumOf } from './search-scene.ts';

export function countCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

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

  check('values are counted of the same executions as the count beside', async (t, { store }) => {
    const scene = await fill(store);
    for (const query of ['', 'status != failed', 'version != none', 'labels.customer = acme']) {
      for (const key of [
        { field: 'status' },
        { field: 'workflow' },
        { field: 'version' },
        { field: 'labels', label: 'tier' },
      ] as const) {
        for (const rows of [1, 2, 4, 100]) {
          const within = { entries: 100, rows };
          const counts = await count(scene, query, { within, by: { key, limit: 10 } });
          t.is(
            counts.values.reduce((sum, { count: each }) => sum + each, 0),
            sumOf(counts),
            JSON.stringify([query, key, rows]),
          );
        }
      }
    }
  });
}
