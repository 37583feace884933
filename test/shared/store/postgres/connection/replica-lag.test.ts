import test from 'ava';

import {
  watchReplicaLag,
  type ReplicaLag,
} from '../../../../../src/shared/store/postgres/connection/replica-lag.ts';

test('nothing is read from a replica before it has been asked', async (t) => {
  const scene = openScene();
  t.is(scene.lag.staleness(), null);
  await scene.lag.settled();
  t.is(scene.lag.staleness(), 0);
});

test('the replica of an idle primary stays near', async (t) => {
  const scene = openScene();
  for (let second = 0; second < 60; second += 1) t.true((await scene.askAfter(1_000)) <= 1_000);
  t.deepEqual(scene.changes, ['used']);
});

test('a replica that is cut off is behind, though it has replayed all that it received', async (t) => {
  const scene = openScene();
  await scene.askAfter(1_000);
  scene.primary = 200n;
  for (const seconds of [1, 2, 3, 4, 5]) t.is(await scene.askAfter(1_000), seconds * 1_000);
  t.is(await scene.askAfter(1_000), Infinity);
  t.is(await scene.askAfter(1_000), Infinity);
  t.is(scene.lag.trouble, 'lagging');
  t.deepEqual(scene.changes, ['used', 'lagging']);
  scene.replica = 200n;
  t.is(await scene.askAfter(1_000), 0);
  t.deepEqual(scene.changes, ['used', 'lagging', 'used']);
});

test('a replica that follows a busy primary at a distance is as far behind as the position it has reached', async (t) => {
  const scene = openScene();
  for (let second = 1; second <= 30; second += 1) {
    scene.primary += 100n;
    // Two rounds late.
    scene.replica = scene.primary - 200n;
    const staleness = await scene.askAfter(1_000);
    if (second > 3) t.is(staleness, 2_000);
  }
  t.deepEqual(scene.changes, ['used']);
});

test('a replica is asked at most five times within the lag that reads may have', async (t) => {
  const scene = openScene();
  for (let call = 0; call < 1_000; call += 1) await scene.askAfter(10);
  t.is(scene.rounds, 10);
});

test('a replica that does not answer is left at once, and asked again', async (t) => {
  const scene = openScene();
  await scene.askAfter(1_000);
  scene.lag.noteLoss('it hung up');
  t.is(scene.lag.staleness(), null);
  t.is(scene.lag.trouble, 'unreachable');
  t.is(await scene.askAfter(1_000), 0);
  scene.replica = new Error('refused');
  t.is(await scene.askAfter(1_000), Infinity);
  t.is(await scene.askAfter(1_000), Infinity);
  scene.replica = 'it is no standby';
  t.is(await scene.askAfter(1_000), Infinity);
  t.is(scene.lag.trouble, 'unfit');
  scene.replica = 100n;
  t.is(await scene.askAfter(1_000), 0);
  t.deepEqual(scene.changes, ['used', 'unreachable', 'used', 'unreachable', 'unfit', 'used']);
});

test('a replica is read while the primary does not answer, as long as it is near', async (t) => {
  const scene = openScene();
  await scene.askAfter(1_000);
  scene.primaryIsDown = true;
  t.is(await scene.askAfter(1_000), 1_000);
  t.is(await scene.askAfter(4_000), 5_000);
  t.is(await scene.askAfter(1), Infinity);
  t.deepEqual(scene.changes, ['used']);
});

interface Scene {
  primary: bigint;
  primaryIsDown: boolean;
  replica: bigint | string | Error;
  rounds: number;
  readonly changes: string[];
  readonly lag: ReplicaLag;
  /** The staleness after a wait and the round that is then due; Infinity: it must not be read. */
  askAfter(ms: number): Promise<number>;
}

function openScene(): Scene {
  let now = 0;
  const changes: string[] = [];
  const lag = watchReplicaLag({
    positions: {
      async current() {
        if (scene.primaryIsDown) throw new Error('down');
        return scene.primary;
      },
      async replayed() {
        scene.rounds += 1;
        if (scene.replica instanceof Error) throw scene.replica;
        return scene.replica;
      },
    },
    lagMsMax: 5_000,
    now: () => now,
    onChange: (state) => void changes.push(state),
  });
  const scene: Scene = {
    primary: 100n,
    primaryIsDown: false,
    replica: 100n,
    rounds: 0,
    changes,
    lag,
    async askAfter(ms) {
      now += ms;
      lag.staleness();
      await lag.settled();
      return lag.staleness() ?? Infinity;
    },
  };
  return scene;
}
