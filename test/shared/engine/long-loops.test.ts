import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';

import { CALLER, openScene } from './families/child-scene.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ROUNDS = 100_000;
const PAGE = 1_000;
const SAMPLES_EVERY = 50;

test('a loop of 100 000 rounds keeps memory flat, and its history is read in pages', async (t) => {
  t.timeout(180_000);
  const heapsMb: number[] = [];
  let commits = 0;
  const svc = await openScene(t, 'sqlite', {
    onCommit: () => {
      commits += 1;
      if (commits % SAMPLES_EVERY === 0) heapsMb.push(heapMb());
    },
  });
  const id = await svc.start(
    {
      nodes: { count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
      start_node: 'count',
      edges: [{ from: 'count', to: 'count', condition: `state.n < ${ROUNDS}` }],
    },
    { n: 0 },
  );
  await svc.settle();
  const { status, data, row } = await svc.read(id);
  t.deepEqual([status, data], ['completed', { n: ROUNDS }]);
  t.is(row.lastSequence, 2 + 2 * ROUNDS);
  t.log(`${heapsMb.length} samples of the heap`);
  const half = Math.floor(heapsMb.length / 2);
  const [early, late] = [heapsMb.slice(1, half), heapsMb.slice(half)].map((part) =>
    Math.min(...part),
  );
  t.true(Number(late) < Number(early) + 16, `${early} MB, then ${late} MB`);
  for (const after of [0, ROUNDS, 2 * ROUNDS - PAGE]) {
    const { events } = await svc.engine.readEvents({
      ...CALLER,
      executionId: id,
      after,
      limit: PAGE,
    });
    t.is(events.length, PAGE);
    t.is(events[0]?.sequence, after + 1);
  }
  // A read folds only the events after the last snapshot.
  const loaded = await svc.store.executions.load(id, null);
  t.true((loaded?.events.length ?? Infinity) < 1_100, `${loaded?.events.length} events`);
});

/** The heap in use. Without a collection, the machine decides when garbage leaves the heap. */
function heapMb(): number {
  collectGarbage();
  return Math.round(process.memoryUsage().heapUsed / 1024 / 1024);
}
