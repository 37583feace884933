import test from 'ava';

import {
  createHistories,
  FOLDED_EVENTS_MAX,
} from '../../../../../src/shared/engine/executions/history/histories.ts';
import { createWakeBus } from '../../../../../src/shared/engine/wake/wake-bus.ts';
import { openTestEngine, TENANT } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

test('413: a history that is too long is refused before any of it is read', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const svc = openTestEngine({ store });
  const executionId = await svc.start({ nodes: { a: { kind: 'pass' } } });
  await svc.settle();
  const row = await store.executions.find(executionId, TENANT);
  if (row === null) throw new Error('the execution was not found');
  let reads = 0;
  const wake = createWakeBus();
  const histories = createHistories({
    wake,
    executions: {
      events: (range) => {
        reads += 1;
        return store.executions.events(range);
      },
    },
  });
  await t.throwsAsync(histories.open({ ...row, lastSequence: FOLDED_EVENTS_MAX + 1 }), {
    message: /payload too large: .* read GET \/executions\/\{id\}\/events in pages/,
  });
  t.is(reads, 0);

  // Readers at the same time share one reading, and a later one reads nothing again.
  const opened = await Promise.all([row, row, row].map((one) => histories.open(one)));
  t.is(new Set(opened).size, 1);
  t.is(reads, 1);
  t.true(opened.includes(await histories.open(row)));
  t.is(reads, 1);

  // A restored database may have another history.
  wake.deliver(['*']);
  await Promise.resolve();
  await histories.open(row);
  t.is(reads, 2);
});
