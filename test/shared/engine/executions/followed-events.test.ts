import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import {
  createFollowedEvents,
  type EventsFollower,
} from '../../../../src/shared/engine/executions/followed-events.ts';
import { eventsTopic } from '../../../../src/shared/engine/wake/wake-for.ts';
import { createWakeBus } from '../../../../src/shared/engine/wake/wake-bus.ts';
import type { ExecutionRow } from '../../../../src/shared/store/store.ts';

const ID = 'exec_1' as ExecutionId;
const row = (lastSequence: number) => ({ status: 'running', lastSequence }) as ExecutionRow;

/** Executions that answer when the test says so, on a clock that it turns. */
function open() {
  const looks: PromiseWithResolvers<ExecutionRow | null>[] = [];
  const due: (() => void)[] = [];
  const wake = createWakeBus();
  const followed = createFollowedEvents({
    executions: {
      find() {
        const look = Promise.withResolvers<ExecutionRow | null>();
        looks.push(look);
        return look.promise;
      },
    },
    wake,
    timers: {
      now: () => 0,
      after(_ms, action) {
        due.push(action);
        return () => void due.splice(due.indexOf(action), 1);
      },
    },
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { looks, due, wake, followed, turn };
}

function follower(after: number) {
  const heard: string[] = [];
  const one: EventsFollower = {
    executionId: ID,
    after,
    onNews: () => void heard.push('news'),
    onFailure: (error) => void heard.push(String(error)),
  };
  return { one, heard };
}

test('all who follow an execution share a look, and only those who lack events hear of it', async (t) => {
  const { looks, due, followed, turn } = open();
  const [behind, ahead] = [follower(1), follower(2)];
  followed.follow(behind.one);
  looks[0]?.resolve(row(1));
  await turn();
  followed.follow(ahead.one);
  looks[1]?.resolve(row(2));
  await turn();
  t.deepEqual([behind.heard, ahead.heard], [['news'], []]);
  t.is(due.length, 1);
  due.shift()?.();
  t.is(looks.length, 3);
});

test('a hint during a look leads to another look', async (t) => {
  const { looks, wake, followed, turn } = open();
  const { one, heard } = follower(1);
  followed.follow(one);
  wake.notify([eventsTopic(ID)]);
  await turn();
  t.is(looks.length, 1);
  looks[0]?.resolve(row(1));
  await turn();
  t.is(looks.length, 2);
  looks[1]?.resolve(row(2));
  await turn();
  t.deepEqual(heard, ['news']);
});

test('an execution that is gone is news', async (t) => {
  const { looks, followed, turn } = open();
  const { one, heard } = follower(1);
  followed.follow(one);
  looks[0]?.resolve(null);
  await turn();
  t.deepEqual(heard, ['news']);
});

test('all who still follow learn of a look that fails', async (t) => {
  const { looks, followed, turn } = open();
  const [staying, leaving] = [follower(1), follower(1)];
  followed.follow(staying.one);
  followed.follow(leaving.one);
  followed.leave(leaving.one);
  looks[0]?.reject(new Error('the pool is closed'));
  await turn();
  t.deepEqual([staying.heard, leaving.heard], [['Error: the pool is closed'], []]);
});

test('nothing is left when the last one leaves: no timer, no subscription', async (t) => {
  const { looks, due, wake, followed, turn } = open();
  const { one } = follower(1);
  followed.follow(one);
  followed.leave(one);
  followed.leave(one);
  looks[0]?.resolve(row(2));
  wake.notify([eventsTopic(ID)]);
  await turn();
  t.deepEqual([looks.length, due.length], [1, 0]);
});
