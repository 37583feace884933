import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import { createEndLooks } from '../../../../src/shared/engine/wake/end-looks.ts';

const idOf = (number: number) => `exec_${number.toString(16).padStart(32, '0')}` as ExecutionId;

/** Executions that end when the test says so, on a clock that it turns. */
function open() {
  const ended = new Set<ExecutionId>();
  const broken = new Set<ExecutionId>();
  const asked: ExecutionId[] = [];
  const due: (() => void)[] = [];
  const looks = createEndLooks({
    executions: {
      async hasEnded(id) {
        asked.push(id);
        if (broken.has(id)) throw new Error('no database');
        return ended.has(id);
      },
    },
    timers: {
      now: () => 0,
      after(_ms, action) {
        due.push(action);
        return () => void due.splice(due.indexOf(action), 1);
      },
    },
  });
  const turn = async (times: number) => {
    for (let each = 0; each < times; each += 1) {
      due.shift()?.();
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  };
  return { ended, broken, asked, due, looks, turn };
}

test('ten turns look once at each awaited execution, with one timer for all', async (t) => {
  const { asked, due, looks, turn } = open();
  const ids = Array.from({ length: 100 }, (_, number) => idOf(number));
  for (const id of ids) looks.watch(id, () => t.fail('none has ended'));
  t.is(due.length, 1);
  await turn(1);
  t.is(asked.length, 10);
  await turn(9);
  t.deepEqual(asked.toSorted(), ids);
  t.is(due.length, 1);
});

test('all who wait for an execution learn of its end', async (t) => {
  const { ended, looks, turn } = open();
  const heard: string[] = [];
  looks.watch(idOf(1), () => void heard.push('one'));
  looks.watch(idOf(1), () => void heard.push('other'));
  looks.watch(idOf(2), () => void heard.push('another'));
  await turn(10);
  t.deepEqual(heard, []);
  ended.add(idOf(1));
  await turn(10);
  t.deepEqual(heard, ['one', 'other']);
});

test('a look that fails wakes its waiter, who reads why, and the next looks follow', async (t) => {
  const { broken, ended, looks, turn } = open();
  const heard: number[] = [];
  for (const number of [1, 2]) looks.watch(idOf(number), () => void heard.push(number));
  broken.add(idOf(1));
  await turn(10);
  t.deepEqual(heard, [1]);
  broken.delete(idOf(1));
  ended.add(idOf(2));
  await turn(10);
  t.deepEqual(heard, [1, 2]);
});

test('nobody looks once the last waiter has left', async (t) => {
  const { asked, due, looks, turn } = open();
  const leave = looks.watch(idOf(5), () => undefined);
  leave();
  leave();
  t.is(due.length, 0);
  const leaveAgain = looks.watch(idOf(5), () => undefined);
  due.shift()?.();
  leaveAgain();
  await turn(1);
  t.is(due.length, 0);
  looks.watch(idOf(5), () => undefined);
  await turn(10);
  t.deepEqual(asked, [idOf(5)]);
});
