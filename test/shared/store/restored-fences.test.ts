import test from 'ava';

import { openStore } from '../../../src/shared/store/opening/open.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import {
  copyTestDatabase,
  createTestDatabase,
  type Dialect,
  type TestDatabase,
} from '../../support/database.ts';
import { sqlitePath } from '../../support/stores.ts';
import { claim, startWithItems } from './contract/drive.ts';

/*
 * A database that returns to an earlier state has lost fences that workers still hold. Here it is a
 * copy, because a restored dump is also another database to the server.
 */

const COMPETITORS = 20;

for (const dialect of ['postgres', 'sqlite'] satisfies Dialect[]) {
  test(`${dialect}: a copy continues with fences that the original never gave`, async (t) => {
    const original = await createTestDatabase(dialect);
    t.teardown(() => original.drop());
    await withStore(dialect, original, (store) => drawFences(store));
    const copy = await copyTestDatabase(original.url);
    t.teardown(() => copy.drop());
    const forgotten = await withStore(dialect, original, (store) => drawFences(store));
    const drawn = await withStore(dialect, copy, async (store) => [
      ...(await drawFences(store)),
      ...(await drawFences(store)),
    ]);
    t.is(new Set(drawn).size, 2 * COMPETITORS);
    t.true(Math.min(...drawn) > Math.max(...forgotten), `${drawn.join()} | ${forgotten.join()}`);
    t.true(Math.max(...drawn) < Number.MAX_SAFE_INTEGER);
    const [first, second] = [drawn.slice(0, COMPETITORS), drawn.slice(COMPETITORS)];
    t.true(Math.min(...second) > Math.max(...first));
  });

  test(`${dialect}: opened again, a database continues with higher fences`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const rounds: number[][] = [];
    for (let round = 0; round < 3; round += 1) {
      rounds.push(await withStore(dialect, database, (store) => drawFences(store)));
    }
    const bounds = rounds.flatMap((fences) => [Math.min(...fences), Math.max(...fences)]);
    t.deepEqual(
      bounds,
      bounds.toSorted((one, other) => one - other),
    );
  });
}

/** Twenty competitors draw one fence each at the same time. */
async function drawFences(store: Store): Promise<number[]> {
  const tenants = await Promise.all(
    Array.from({ length: COMPETITORS }, async () => (await startWithItems(store, [{}])).tenantId),
  );
  const claimed = await Promise.all(tenants.map((tenantId) => claim(store, tenantId)));
  return claimed.flat().map(({ leaseFence }) => leaseFence);
}

async function withStore<Result>(
  dialect: Dialect,
  { url }: TestDatabase,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({
    applicationName: 'test',
    database:
      dialect === 'sqlite'
        ? { dialect, path: sqlitePath(url) }
        : { dialect, url, poolSize: 5, maxOverflow: 5 },
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
