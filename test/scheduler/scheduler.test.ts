import test from 'ava';
import { createFakeCluster } from './fake-cluster.ts';

const DEADLINE = { deadlineMs: 10_000 };

test('a scheduler alone announces itself, takes every shard and looks for work on them', async (t) => {
  const cluster = createFakeCluster();
  const { scheduler } = await cluster.add('one');
  await cluster.timers.advance(100);
  t.is(scheduler.heldShards().length, 64);
  t.deepEqual(cluster.named('balance')[0]?.params, 64);
  t.like(cluster.named('advanceRunnable')[0]?.params, { limit: 200 });
  t.true(scheduler.health().ok);
  await scheduler.stop(DEADLINE);
});

test('shards are divided again when a scheduler joins and when one leaves', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  await cluster.timers.advance(30_000);
  const two = await cluster.add('two');
  await cluster.timers.advance(2000);
  t.deepEqual([one.scheduler.heldShards().length, two.scheduler.heldShards().length], [32, 32]);
  await one.scheduler.stop(DEADLINE);
  await cluster.timers.advance(1000);
  t.deepEqual([one.scheduler.heldShards().length, two.scheduler.heldShards().length], [0, 64]);
  await two.scheduler.stop(DEADLINE);
});

test('the shards of a scheduler that crashed are taken over within seconds', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  const two = await cluster.add('two', { failing: () => cluster.timers.now() > 60_000 });
  await cluster.timers.advance(60_000);
  cluster.crash('two');
  await cluster.timers.advance(20_000);
  t.is(one.scheduler.heldShards().length, 64);
  await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
});

test('two idle schedulers send fewer than 1.2 statements a second in all', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(60_000);
  const before = cluster.calls.length;
  await cluster.timers.advance(600_000);
  // `balance` counts twice: it may both try locks and count them.
  const statements = cluster.calls.slice(before);
  const rate =
    (statements.length + statements.filter(({ name }) => name === 'balance').length) / 600;
  t.log(`${rate.toFixed(2)} statements a second`);
  t.true(rate < 1.2, `${rate}`);
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('a hint for a shard held here is followed at once, however long it has been quiet', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  const two = await cluster.add('two');
  await cluster.timers.advance(120_000);
  const [shard] = two.scheduler.heldShards();
  const before = cluster.calls.length;
  one.bus.notify([`run:${shard}`]);
  await cluster.timers.advance(0);
  const rounds = cluster.calls.slice(before).map(({ by, name }) => `${by} ${name}`);
  t.deepEqual(rounds, ['two advanceRunnable']);
  await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
});

test('work found in a quiet time without a hint keeps polling at its usual pace', async (t) => {
  let isWorkThere = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', {
    onAdvance() {
      const found = isWorkThere ? 1 : 0;
      isWorkThere = false;
      return { found, more: false };
    },
  });
  await cluster.timers.advance(120_000);
  isWorkThere = true;
  cluster.due.waiting = { executions: true };
  await cluster.timers.advance(15_000);
  t.false(isWorkThere);
  cluster.due.waiting = {};
  await cluster.timers.advance(15_000);
  const before = cluster.named('advanceRunnable').length;
  await cluster.timers.advance(60_000);
  t.is(cluster.named('advanceRunnable').length - before, 60);
  await one.scheduler.stop(DEADLINE);
});

test('a look around in a quiet time wakes the loop that has work, and no other', async (t) => {
  const cases = [
    { sees: { executions: true }, does: 'advanceRunnable' },
    { sees: { engineItems: true }, does: 'runQueuedNodes' },
    { sees: { overdueItems: true }, does: 'expireQueued' },
    { sees: { lapsedLeases: true }, does: 'reclaimLeases' },
  ];
  for (const { sees, does } of cases) {
    const cluster = createFakeCluster();
    const one = await cluster.add('one');
    await cluster.timers.advance(300_000);
    const loops = cases.map((each) => each.does);
    const rounds = () => cluster.calls.filter(({ name }) => loops.includes(name));
    while ((rounds().at(-1)?.at ?? 0) < cluster.timers.now() - 5_000) {
      await cluster.timers.advance(1_000);
    }
    const before = rounds().length;
    cluster.due.waiting = sees;
    await cluster.timers.advance(12_000);
    t.deepEqual(
      new Set(
        rounds()
          .slice(before)
          .map(({ name }) => name),
      ),
      new Set([does]),
    );
    await one.scheduler.stop(DEADLINE);
  }
});

test('work that a look around sees on no shard of ours is looked for on all shards', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(120_000);
  const before = cluster.named('advanceRunnable', 'one').length;
  cluster.due.waiting = { executions: true };
  await cluster.timers.advance(30_000);
  const shards = cluster
    .named('advanceRunnable', 'one')
    .slice(before)
    .map(({ params }) => (params as { shards: number[] }).shards.length);
  t.deepEqual(
    shards.slice(0, 2).toSorted((one, other) => one - other),
    [32, 64],
  );
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('every shard is read from time to time, with any holder', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(200_000);
  const sweeps = cluster
    .named('advanceRunnable', 'one')
    .filter(
      ({ at, params }) => at > 10_000 && (params as { shards: number[] }).shards.length === 64,
    );
  t.true(sweeps.length >= 2, `${sweeps.length}`);
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('silent agents are paused by the process on duty alone, seldom while all is quiet', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(550_000);
  const rounds = cluster.named('pauseSilent');
  t.deepEqual([...new Set(rounds.map(({ by }) => by))], ['one']);
  t.true(rounds.length >= 4 && rounds.length <= 20, `${rounds.length}`);
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('a full process looks at marks too, which the engine begins as far as it has room', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { underWay: () => 256 });
  await cluster.timers.advance(1000);
  const rounds = cluster.named('advanceRunnable');
  t.true(rounds.length >= 5 && rounds.length <= 20, `${rounds.length}`);
  t.true(rounds.every(({ params }) => (params as { limit: number }).limit === 200));
  t.deepEqual(cluster.named('runQueuedNodes'), []);
  await one.scheduler.stop(DEADLINE);
});

test('a timer fires when it is due, by the process on duty alone', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(60_000);
  cluster.due.timersAt = 63_456;
  members[1]?.bus.notify(['timers']);
  await cluster.timers.advance(10_000);
  t.deepEqual(
    cluster.named('fireTimers').map(({ at, by }) => ({ at: Math.round(at), by })),
    [{ at: 63_456, by: 'one' }],
  );
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('where the process on duty is frozen, another one fires the timer soon after', async (t) => {
  let isFrozen = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { failing: () => isFrozen });
  const two = await cluster.add('two');
  await cluster.timers.advance(60_000);
  cluster.due.timersAt = 100_000;
  await cluster.timers.advance(25_000);
  isFrozen = true;
  await cluster.timers.advance(20_000);
  const [fired] = cluster.named('fireTimers');
  t.is(fired?.by, 'two');
  t.true((fired?.at ?? Infinity) <= 102_000, `${fired?.at}`);
  isFrozen = false;
  await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
});

test('a schedule fires when it is due, by the process on duty alone', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(60_000);
  cluster.due.schedulesAt = 63_456;
  members[1]?.bus.notify(['schedules']);
  await cluster.timers.advance(10_000);
  t.deepEqual(
    cluster.schedulesFired.map(({ at, by }) => ({ at: Math.round(at), by })),
    [{ at: 63_456, by: 'one' }],
  );
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('a schedule whose hint was lost is found, and where the process on duty is frozen, fired by another', async (t) => {
  let isFrozen = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { failing: () => isFrozen });
  const two = await cluster.add('two');
  await cluster.timers.advance(60_000);
  cluster.due.schedulesAt = 200_000;
  await cluster.timers.advance(145_000);
  t.like(cluster.schedulesFired, [{ by: 'one', at: 200_000 }]);
  cluster.due.schedulesAt = 250_000;
  one.bus.notify(['schedules']);
  await cluster.timers.advance(25_000);
  isFrozen = true;
  await cluster.timers.advance(40_000);
  const fired = cluster.schedulesFired[1];
  t.is(fired?.by, 'two');
  t.true((fired?.at ?? Infinity) <= 252_000, `${fired?.at}`);
  isFrozen = false;
  await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
});

test('while nothing is scheduled and all is quiet, it is asked for every two minutes', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  await cluster.timers.advance(600_000);
  const asked = cluster.named('fireSchedules').length;
  t.true(asked >= 5 && asked <= 7, `${asked}`);
  await one.scheduler.stop(DEADLINE);
});

test('while executions wait for places and all is quiet, one process looks for them every ten seconds', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  const two = await cluster.add('two');
  cluster.due.places.isWaiting = true;
  one.bus.notify(['places']);
  await cluster.timers.advance(120_000);
  const looks = () => cluster.named('admitChildren', 'one').length;
  const before = looks();
  await cluster.timers.advance(600_000);
  t.is(looks() - before, 60);
  await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
});

test('a free place is given at once with the hint, and within a second without one directly after it', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  cluster.due.places.isWaiting = true;
  await cluster.timers.advance(120_000);
  cluster.due.places.free = 1;
  one.bus.notify(['places']);
  await cluster.timers.advance(0);
  t.is(cluster.due.places.free, 0);
  // Another process has not heard yet that executions wait.
  await cluster.timers.advance(1_000);
  cluster.due.places.free = 1;
  await cluster.timers.advance(1_000);
  t.is(cluster.due.places.free, 0);
  await one.scheduler.stop(DEADLINE);
});

test('a free place whose hint was lost is found, and looks are frequent for ten minutes', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  cluster.due.places.isWaiting = true;
  await cluster.timers.advance(120_000);
  cluster.due.places.free = 1;
  await cluster.timers.advance(12_000);
  t.is(cluster.due.places.free, 0);
  await cluster.timers.advance(60_000);
  cluster.due.places.free = 1;
  await cluster.timers.advance(1_000);
  t.is(cluster.due.places.free, 0);
  await cluster.timers.advance(660_000);
  const before = cluster.named('admitChildren').length;
  await cluster.timers.advance(60_000);
  t.is(cluster.named('admitChildren').length - before, 6);
  await one.scheduler.stop(DEADLINE);
});

test('a token that comes while nothing is announced is used when it comes, and is no lost hint', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one');
  cluster.due.places = { isWaiting: true, free: 0, tokenAt: cluster.timers.now() + 123_456 };
  await cluster.timers.advance(123_400);
  t.not(cluster.due.places.tokenAt, null);
  await cluster.timers.advance(60);
  t.is(cluster.due.places.tokenAt, null);
  await cluster.timers.advance(60_000);
  const before = cluster.named('admitChildren').length;
  await cluster.timers.advance(60_000);
  t.is(cluster.named('admitChildren').length - before, 6);
  await one.scheduler.stop(DEADLINE);
});

test('executions of a paused workflow are held by the process on duty alone, with the hint', async (t) => {
  const cluster = createFakeCluster();
  const members = [await cluster.add('one'), await cluster.add('two')];
  await cluster.timers.advance(120_000);
  const before = cluster.named('sweepWorkflowPauses').length;
  t.true(before <= 8, `${before}`);
  Object.assign(cluster.due.pauses, { are: true, batches: 3 });
  members[1]?.bus.notify(['pauses']);
  await cluster.timers.advance(1_000);
  const swept = cluster.named('sweepWorkflowPauses').slice(before);
  t.deepEqual(new Set(swept.map(({ by }) => by)), new Set(['one']));
  t.is(cluster.due.pauses.batches, 0);
  // While a workflow is paused, one scheduler looks four times a minute, in case a hint was lost.
  const from = cluster.named('sweepWorkflowPauses').length;
  await cluster.timers.advance(600_000);
  const looks = cluster.named('sweepWorkflowPauses').length - from;
  t.true(looks >= 38 && looks <= 65, `${looks}`);
  await Promise.all(members.map(({ scheduler }) => scheduler.stop(DEADLINE)));
});

test('when the process that holds them is killed or frozen, another continues within a minute', async (t) => {
  for (const end of ['killed', 'frozen'] as const) {
    let isGone = false;
    const cluster = createFakeCluster();
    const one = await cluster.add('one', { failing: () => isGone });
    const two = await cluster.add('two');
    await cluster.timers.advance(120_000);
    cluster.due.pauses.are = true;
    one.bus.notify(['pauses']);
    await cluster.timers.advance(5_000);
    isGone = true;
    if (end === 'killed') cluster.crash('one');
    cluster.due.pauses.batches = 5;
    await cluster.timers.advance(end === 'killed' ? 30_000 : 75_000);
    t.is(cluster.due.pauses.batches, 0, end);
    t.is(cluster.named('sweepWorkflowPauses').at(-1)?.by, 'two');
    isGone = false;
    await Promise.all([one.scheduler.stop(DEADLINE), two.scheduler.stop(DEADLINE)]);
  }
});

test('while the database is down no loop ends, each loop reports the outage once, and health says so', async (t) => {
  let isDown = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { failing: () => isDown });
  await cluster.timers.advance(5000);
  isDown = true;
  await cluster.timers.advance(120_000);
  t.false(one.scheduler.health().ok);
  const told = one.troubles.filter((what) => what === 'a scheduler loop failed').length;
  t.true(told > 0 && told <= 16, `${told}`);
  isDown = false;
  await cluster.timers.advance(60_000);
  t.true(one.scheduler.health().ok);
  t.true(one.scheduler.health().loops.every(({ failures }) => failures === 0));
  await one.scheduler.stop(DEADLINE);
});

test('an error that follows another one is reported too, once', async (t) => {
  const full = Object.assign(new Error('the disk is full'), { name: 'ArchiveWriteError' });
  let failing: boolean | Error = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { failing: () => failing });
  const told = () => one.troubles.filter((what) => what === 'a scheduler loop failed').length;
  await cluster.timers.advance(5000);
  failing = true;
  await cluster.timers.advance(120_000);
  const first = told();
  failing = full;
  await cluster.timers.advance(120_000);
  t.true(first > 0);
  t.is(told(), 2 * first);
  failing = true;
  await cluster.timers.advance(120_000);
  t.is(told(), 2 * first, 'it has said so');
  await one.scheduler.stop(DEADLINE);
});

test('stop: no more work, then the shards go, then the drain with leases kept alive, then the end', async (t) => {
  let underWay = 0;
  const drained = Promise.withResolvers<void>();
  const cluster = createFakeCluster();
  const one = await cluster.add('one', {
    underWay: () => underWay,
    onDrain: () => drained.promise,
  });
  await cluster.timers.advance(5000);
  underWay = 1;
  const before = cluster.calls.length;
  const stopping = one.scheduler.stop({ deadlineMs: 60_000 });
  await cluster.timers.advance(20_000);
  drained.resolve();
  await stopping;
  await cluster.timers.advance(60_000);
  t.deepEqual(
    cluster.calls.slice(before).map(({ name }) => name),
    ['withdraw', 'releaseAll', 'drain', 'renewOwnLeases', 'renewOwnLeases', 'renewOwnLeases'],
  );
  t.deepEqual(one.troubles, []);
});

test('stop keeps its deadline when the drain does not end, and says so', async (t) => {
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { onDrain: () => new Promise(() => undefined) });
  await cluster.timers.advance(5000);
  let stopped = false;
  const stopping = one.scheduler.stop({ deadlineMs: 3000 }).then(() => (stopped = true));
  await cluster.timers.advance(2999);
  t.false(stopped);
  await cluster.timers.advance(2);
  await stopping;
  t.deepEqual(one.troubles, ['stopping: cannot drain']);
});

test('stop still ends with the database down', async (t) => {
  let isDown = false;
  const cluster = createFakeCluster();
  const one = await cluster.add('one', { failing: () => isDown });
  await cluster.timers.advance(5000);
  isDown = true;
  await one.scheduler.stop({ deadlineMs: 3000 });
  t.true(one.troubles.includes('stopping: cannot give up the shards'));
});
