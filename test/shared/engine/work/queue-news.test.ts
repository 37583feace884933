import test from 'ava';

import { createQueueNews } from '../../../../src/shared/engine/work/queue-news.ts';
import { createWakeBus } from '../../../../src/shared/engine/wake/wake-bus.ts';

const QUEUES = { key: 'queue:a', topics: ['queue:a'], accepts: () => true };

function open() {
  let time = 0;
  const wake = createWakeBus();
  const news = createQueueNews({ wake, now: () => time, onHint: () => undefined });
  const hint = async (topic = 'queue:a') => {
    wake.notify([topic]);
    await Promise.resolve();
  };
  return { news, hint, pass: (ms: number) => (time += ms) };
}

test('a queue is empty after a look that left nothing, until a hint comes', async (t) => {
  const { news, hint } = open();
  const followed = news.follow(QUEUES);
  t.false(followed.isEmpty());
  followed.looking()({ leftNothing: true });
  t.true(followed.isEmpty());
  await hint('queue:b');
  t.true(followed.isEmpty());
  await hint();
  t.false(followed.isEmpty());
});

test('a hint that comes during a look counts', async (t) => {
  const { news, hint } = open();
  const followed = news.follow(QUEUES);
  const looked = followed.looking();
  await hint();
  looked({ leftNothing: true });
  t.false(followed.isEmpty());
});

test('a look that was cut off by its limit says nothing', (t) => {
  const { news } = open();
  const followed = news.follow(QUEUES);
  followed.looking()({ leftNothing: true });
  followed.looking()({ leftNothing: false });
  t.false(followed.isEmpty());
});

test('between two claims hints still count, for ten seconds', async (t) => {
  const { news, hint, pass } = open();
  const claim = (): boolean => {
    const followed = news.follow(QUEUES);
    const was = followed.isEmpty();
    followed.looking()({ leftNothing: true });
    followed.end();
    return was;
  };
  t.false(claim());
  t.true(claim());
  await hint();
  t.false(claim());
  pass(9_000);
  t.true(claim());
  pass(11_000);
  const other = news.follow({ ...QUEUES, key: 'queue:b' });
  other.end();
  t.false(claim());
});
