import test from 'ava';

import type { WaitingWork } from '../../../src/shared/store/store.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';
import { claimOne, commitOne, start, startWithItems } from './contract/drive.ts';
import { makePlan, makeTimer } from './contract/make.ts';

/* A look covers the whole database, so each case has its own. */

const NOTHING: WaitingWork = {
  executions: false,
  engineItems: false,
  overdueItems: false,
  lapsedLeases: false,
  nextDueInMs: null,
};

const CASES: readonly {
  readonly title: string;
  readonly prepare: (database: TestStore) => Promise<unknown>;
  readonly sees: Partial<WaitingWork>;
}[] = [
  { title: 'nothing', prepare: async () => undefined, sees: {} },
  {
    title: 'an execution with something to decide',
    prepare: ({ store }) => start(store, { changes: { runnable: 'mark' } }),
    sees: { executions: true },
  },
  {
    title: 'an item on the queue of the engine',
    prepare: ({ store }) => startWithItems(store, [{ queue: 'engine' }]),
    sees: { engineItems: true },
  },
  {
    title: 'an item that may still wait',
    prepare: ({ store }) => startWithItems(store, [{ scheduleToStartMs: 60_000 }]),
    sees: {},
  },
  {
    title: 'an item that has waited too long',
    prepare: ({ store }) => startWithItems(store, [{ scheduleToStartMs: 0 }]),
    sees: { overdueItems: true },
  },
  {
    title: 'a lease that lasts',
    prepare: async ({ store }) => {
      const { tenantId } = await startWithItems(store, [{}]);
      await claimOne(store, tenantId, { leaseMs: 60_000 });
    },
    sees: {},
  },
  {
    title: 'a lease that has lapsed',
    prepare: async ({ store }) => {
      const { tenantId } = await startWithItems(store, [{}]);
      await claimOne(store, tenantId, { leaseMs: 0 });
    },
    sees: { lapsedLeases: true },
  },
  {
    title: 'a timer that is due',
    prepare: async ({ store }) => {
      const execution = await start(store);
      await commitOne(store, makePlan(execution, { startsTimers: [makeTimer()] }));
    },
    sees: { nextDueInMs: 0 },
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const { title, prepare, sees } of CASES) {
    test(`a look around sees ${title} (${dialect})`, async (t) => {
      const database = await openTestStore(dialect);
      try {
        await prepare(database);
        t.deepEqual(await database.store.runnable.lookAround(), { ...NOTHING, ...sees });
      } finally {
        await database.close();
      }
    });
  }
}
