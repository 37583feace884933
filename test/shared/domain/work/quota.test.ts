import test from 'ava';

import {
  ownQueueName,
  quotaQueueName,
  readQuota,
  readQuotaQueue,
} from '../../../../src/shared/domain/work/quota.ts';

test('the name of a queue below a quota tells the quota again', (t) => {
  for (const key of ['acme', 'a/b#c', '100 %', 'ключ', null]) {
    const quota = { queueName: 'gpu', limit: 3, tool: 'shop#a/b.pay', key };
    const name = quotaQueueName(quota) ?? '';
    t.deepEqual(readQuota(name), quota);
    t.is(ownQueueName(name), 'gpu');
  }
  t.is(readQuota('gpu'), null);
  t.is(ownQueueName('default#1#shop.pay#'), null);
});

test('queues with different limits share the places of their tool and key', (t) => {
  const [one, other] = [1, 2].map((limit) => {
    const name = quotaQueueName({ queueName: 'default', limit, tool: 'm.f', key: 'a/b' }) ?? '';
    return readQuotaQueue(`acme/python_tool/${name}`);
  });
  t.like(one, { served: 'acme/python_tool', limit: 1 });
  t.is(one?.quota, other?.quota);
  t.is(readQuotaQueue('acme/python_tool/gpu'), null);
});

test('a tool and a key that no index entry can hold have no name', (t) => {
  const quota = { queueName: 'default', limit: 1, tool: 'm.f' };
  t.is(quotaQueueName({ ...quota, key: '€'.repeat(256) }), null);
  t.not(quotaQueueName({ ...quota, key: 'k'.repeat(256) }), null);
});
