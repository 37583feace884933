import test from 'ava';
import type pg from 'pg';

import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { connectRaw, terminate } from '../raw-client.ts';
import { startPooler } from '../start-pooler.ts';

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

test.serial('topics reach other processes, and not the sender', async (t) => {
  await withStores(async (sender, receiver) => {
    const own = await listen(sender);
    const heard = await listen(receiver);
    sender.wake.send(['run:7', 'queue:default/python_tool']);
    await heard.waitFor('queue:default/python_tool');
    t.deepEqual(heard.topics, new Set(['run:7', 'queue:default/python_tool']));
    // An answer proves that no notification of the sender itself is still pending.
    receiver.wake.send(['run:8']);
    await own.waitFor('run:8');
    t.deepEqual(own.topics, new Set(['run:8']));
  });
});

test.serial('hints are out before a program ends that waits for them', async (t) => {
  await withStores(async (receiver) => {
    const heard = await listen(receiver);
    const command = await openPostgresStore({ url: database.url });
    command.wake.send(['tokens\tone']);
    await command.wake.flush();
    await command.close();
    await heard.waitFor('tokens\tone');
    t.deepEqual(heard.topics, new Set(['tokens\tone']));
  });
});

test.serial('a session of a pooler still waits for the disk after a hint', async (t) => {
  const pooled = await startPooler(t, database.url);
  const store = await openPostgresStore({ url: pooled });
  await withStores(async (receiver) => {
    const heard = await listen(receiver);
    store.wake.send(['run:7']);
    await heard.waitFor('run:7');
  });
  const other = await connectRaw(pooled);
  const { rows } = await other.query('show synchronous_commit');
  await Promise.all([other.end(), store.close()]);
  t.deepEqual(rows, [{ synchronous_commit: 'on' }]);
});

test.serial('a burst of hints is a handful of notifications', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    for (let index = 0; index < 1_000; index += 1) sender.wake.send([`run:${index % 64}`]);
    await heard.waitFor('run:63');
    t.is(heard.topics.size, 64);
    t.is(heard.notifications(), 1);
  });
});

test.serial('hints of a busy time are sent one after another', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    const startedAt = performance.now();
    for (let index = 0; index < 200; index += 1) {
      sender.wake.send([`run:${index}`]);
      await sender.ping({ timeoutMs: 10_000 });
    }
    await heard.waitFor('run:199');
    const notificationsMax = (performance.now() - startedAt) / 8 + 1;
    t.is(heard.topics.size, 200);
    t.true(heard.notifications() <= notificationsMax);
  });
});

test.serial('more topics than a notification takes are several notifications', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    const topics = Array.from({ length: 5_000 }, (_, n) => `awaited:exec_${n}`.padEnd(45, 'ä'));
    sender.wake.send(topics);
    await heard.waitFor(topics.at(-1) ?? '');
    t.deepEqual(heard.topics, new Set(topics));
    t.true(heard.notifications() < 100, `${heard.notifications()} notifications`);
  });
});

test.serial('all of many hints are out before a program ends that waits for them', async (t) => {
  await withStores(async (receiver) => {
    const heard = await listen(receiver);
    const command = await openPostgresStore({ url: database.url });
    const topics = Array.from({ length: 500 }, (_, n) => `awaited:exec_${n}`.padEnd(45));
    command.wake.send(topics);
    await command.wake.flush();
    await command.close();
    await heard.waitFor(topics.at(-1) ?? '');
    t.deepEqual(heard.topics, new Set(topics));
  });
});

test.serial('a topic that is too long for a notification is any topic', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    sender.wake.send(['run:1', 'x'.repeat(8_000), 'run:2']);
    await heard.waitFor('run:2');
    t.deepEqual(heard.topics, new Set(['run:1', '*', 'run:2']));
  });
});

test.serial('very many topics are any topic', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    sender.wake.send(Array.from({ length: 20_001 }, (_, index) => `awaited:exec_${index}`));
    await heard.waitFor('*');
    t.is(heard.notifications(), 1);
  });
});

test.serial('a listener that lost its connection hears of any topic, then continues', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    await terminate(admin, 'svc-receiver-wake');
    await heard.waitFor('*');
    sender.wake.send(['run:1']);
    await heard.waitFor('run:1');
    t.pass();
  });
});

test.serial('a sender that lost its connection sends over the next one', async (t) => {
  await withStores(async (sender, receiver) => {
    const heard = await listen(receiver);
    sender.wake.send(['run:1']);
    await heard.waitFor('run:1');
    await terminate(admin, 'svc-sender-wake');
    await eventually(() => {
      sender.wake.send(['run:2']);
      if (!heard.topics.has('run:2')) throw new Error('nothing was heard');
    });
    t.pass();
  });
});

async function withStores(use: (sender: Store, receiver: Store) => Promise<void>): Promise<void> {
  const [sender, receiver] = await Promise.all([
    openPostgresStore({ url: database.url, applicationName: 'svc-sender' }),
    openPostgresStore({ url: database.url, applicationName: 'svc-receiver' }),
  ]);
  try {
    await use(sender, receiver);
  } finally {
    await Promise.all([sender.close(), receiver.close()]);
  }
}

interface Heard {
  readonly topics: Set<string>;
  notifications(): number;
  waitFor(topic: string): Promise<void>;
}

async function listen(store: Store): Promise<Heard> {
  const topics = new Set<string>();
  const waiting = new Map<string, () => void>();
  let notifications = 0;
  await store.wake.listen((heard) => {
    notifications += 1;
    for (const topic of heard) {
      topics.add(topic);
      waiting.get(topic)?.();
    }
  });
  return {
    topics,
    notifications: () => notifications,
    waitFor: (topic) =>
      new Promise((resolve) => {
        if (topics.has(topic)) resolve();
        else waiting.set(topic, resolve);
      }),
  };
}
