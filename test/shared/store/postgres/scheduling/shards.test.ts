import test from 'ava';
import type pg from 'pg';

import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { SHARD_COUNT, type Store } from '../../../../../src/shared/store/store.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { connectRaw, terminate } from '../raw-client.ts';

let database: TestDatabase;
let admin: pg.Client;

test.before(async () => {
  database = await createTestDatabase();
  admin = await connectRaw(database.url);
});

test.after.always(async () => {
  await admin.end();
  await database.drop();
});

test.serial('two processes share the shards, none held twice', async (t) => {
  await withStores(2, async ([first, second]) => {
    t.is((await first.shards.balance({ target: SHARD_COUNT })).length, SHARD_COUNT);
    t.deepEqual(await second.shards.balance({ target: 32 }), []);
    const kept = await first.shards.balance({ target: 32 });
    const taken = await second.shards.balance({ target: 32 });
    t.is(new Set([...kept, ...taken]).size, SHARD_COUNT);
  });
});

test.serial('twenty processes that start at once hold every shard once', async (t) => {
  await withStores(20, async (stores) => {
    const target = Math.ceil(SHARD_COUNT / stores.length);
    const held = await Promise.all(stores.map(({ shards }) => shards.balance({ target })));
    t.true(held.every((shards) => shards.length <= target));
    t.is(new Set(held.flat()).size, held.flat().length);
    t.is(held.flat().length, SHARD_COUNT);
  });
});

test.serial('balances at the same time take no more than their target', async (t) => {
  await withStores(1, async ([store]) => {
    const targets = [10, 30, 20];
    const held = await Promise.all(targets.map((target) => store.shards.balance({ target })));
    t.deepEqual(
      held.map(({ length }) => length),
      targets,
    );
  });
});

test.serial('schedulers are counted while their sessions last', async (t) => {
  await withStores(3, async ([first, second, third]) => {
    t.is(await first.shards.countSchedulers(), 1);
    t.is(await second.shards.countSchedulers(), 2);
    t.is(await third?.shards.countSchedulers(), 3);
    await terminate(admin, 'svc-1-locks');
    await third?.shards.releaseAll();
    await eventually(async () => {
      const count = await first.shards.countSchedulers();
      if (count !== 1) throw new Error(`${count} are counted`);
    });
  });
});

test.serial('when the connection breaks, nothing is held and another may take it', async (t) => {
  await withStores(2, async ([first, second]) => {
    await first.shards.balance({ target: SHARD_COUNT });
    t.true(await first.shards.tryDuty('timers'));
    t.false(await second.shards.tryDuty('timers'));
    t.is(await terminate(admin, 'svc-0-locks'), 1);
    await eventually(async () => {
      const taken = await second.shards.balance({ target: SHARD_COUNT });
      if (taken.length < SHARD_COUNT) throw new Error(`${taken.length} are free`);
    });
    t.true(await second.shards.tryDuty('timers'));
    t.deepEqual(await first.shards.balance({ target: SHARD_COUNT }), []);
    t.false(await first.shards.tryDuty('timers'));
  });
});

test.serial('a broken connection is replaced at the next balance', async (t) => {
  await withStores(1, async ([store]) => {
    await store.shards.balance({ target: 5 });
    await terminate(admin, 'svc-0-locks');
    await eventually(async () => {
      const held = await store.shards.balance({ target: 7 });
      if (held.length !== 7) throw new Error(`${held.length} are held`);
    });
    t.is(await countLocks(), 7);
  });
});

test.serial('a released shard is free at once', async (t) => {
  await withStores(2, async ([first, second]) => {
    await first.shards.balance({ target: SHARD_COUNT });
    await first.shards.tryDuty('prune');
    await first.shards.releaseAll();
    t.is((await second.shards.balance({ target: SHARD_COUNT })).length, SHARD_COUNT);
    t.true(await second.shards.tryDuty('prune'));
  });
});

/** Their connections for locks have the names `svc-<number>-locks`. */
async function withStores(
  count: number,
  use: (stores: readonly [Store, Store, ...Store[]]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      openPostgresStore({ url: database.url, applicationName: `svc-${index}` }),
    ),
  );
  try {
    await use(stores as unknown as readonly [Store, Store, ...Store[]]);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
  await eventually(async () => {
    if ((await countLocks()) > 0) throw new Error('locks are still held');
  });
}

async function countLocks(): Promise<number> {
  const { rows } = await admin.query<{ readonly locks: number }>(
    `select count(*)::int4 as locks
     from pg_locks
     where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.locks ?? 0;
}
