import test from 'ava';

import {
  ownQueueName,
  quotaQueueName,
  readQuota,
  readQuotaQueue,
} from '../../../../src/shared/domain/work/quota.ts';

const PLAIN = { queueName: 'default', rate: null };

test('the name of a queue below a quota tells the quota again', (t) => {
  for (const key of ['acme', 'a/b#c', '100 %', 'ключ', null]) {
    const quota = { queueName: 'gpu', limit: 3, tool: 'shop#a/b.pay', key, rate: null };
    const name = quotaQueueName(quota) ?? '';
    t.deepEqual(readQuota(name), quota);
    t.is(ownQueueName(name), 'gpu');
  }
  t.is(readQuota('gpu'), null);
  t.is(ownQueueName('default#1#shop.pay#'), null);
});

test('queues with different limits share the places of their tool and key', (t) => {
  const [one, other] = [1, 2].map((limit) => {
    const name = quotaQueueName({ ...PLAIN, limit, tool: 'm.f', key: 'a/b' }) ?? '';
    return readQuotaQueue(`acme/python_tool/${name}`);
  });
  t.like(one, { served: 'acme/python_tool', limit: 1 });
  t.is(one?.quota, other?.quota);
  t.is(readQuotaQueue('acme/python_tool/gpu'), null);
});

test('a tool and a key that no index entry can hold have no name', (t) => {
  const quota = { ...PLAIN, limit: 1, tool: 'm.f' };
  t.is(quotaQueueName({ ...quota, key: '€'.repeat(256) }), null);
  t.not(quotaQueueName({ ...quota, key: 'k'.repeat(256) }), null);
});

test('the name also tells the rate, with a limit beside it or none', (t) => {
  const rate = { key: 'a/b#c', limit: 100, perMs: 60_000, burst: 20 };
  for (const limit of [5, null]) {
    for (const key of ['acme', null]) {
      const quota = {
        queueName: 'gpu',
        limit,
        tool: 'm.f',
        key: limit === null ? null : key,
        rate,
      };
      const name = quotaQueueName(quota) ?? '';
      t.deepEqual(readQuota(name), quota);
      t.like(readQuotaQueue(`acme/python_tool/${name}`), {
        served: 'acme/python_tool/gpu',
        limit,
        bucket: { intervalUs: 600_000, burst: 20 },
      });
    }
  }
});

test('queues share the tokens of their tool and the key of the rate', (t) => {
  const bucketOf = (key: string, limit: number | null) => {
    const rate = { key, limit: limit ?? 7, perMs: 1_000, burst: 1 };
    const quota = { ...PLAIN, limit, tool: 'm.f', key: limit === null ? null : 'x', rate };
    return readQuotaQueue(`acme/python_tool/${quotaQueueName(quota)}`)?.bucket?.key;
  };
  t.truthy(bucketOf('one', 3));
  t.is(bucketOf('one', 3), bucketOf('one', null));
  t.not(bucketOf('one', null), bucketOf('other', null));
});

test('a program that knows no rates reads a limit of 0', (t) => {
  const rate = { key: null, limit: 1, perMs: 1_000, burst: 1 };
  const name = quotaQueueName({ ...PLAIN, limit: 5, tool: 'm.f', key: null, rate });
  t.is(name?.split('#')[1], '0');
});
