import test from 'ava';
import type { RemoteWake } from '../../../../src/shared/store/store.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import {
  connectRemoteWake,
  createWakeBus,
  tenantTopic,
  tokenTopic,
} from '../../../../src/shared/engine/wake/wake-bus.ts';

test('a listener is called once for many notifications of its topics', async (t) => {
  const bus = createWakeBus();
  const heard = recorder(bus, 'run:1');
  bus.notify(['run:1', 'run:2']);
  bus.notify(['run:1']);
  t.is(heard.times(), 0, 'not within the notifier’s own call');
  await Promise.resolve();
  t.is(heard.times(), 1);
  bus.notify(['run:1']);
  await Promise.resolve();
  t.is(heard.times(), 2);
});

test('only the topics subscribed to wake, and none after the subscription has ended', async (t) => {
  const bus = createWakeBus();
  const one = recorder(bus, 'run:1');
  const two = recorder(bus, 'run:2');
  bus.notify(['run:2']);
  await Promise.resolve();
  t.deepEqual([one.times(), two.times()], [0, 1]);
  two.end();
  bus.notify(['run:1', 'run:2']);
  await Promise.resolve();
  t.deepEqual([one.times(), two.times()], [1, 1]);
});

test('the topic * wakes everyone, and a subscription to * hears everything', async (t) => {
  const bus = createWakeBus();
  const one = recorder(bus, 'run:1');
  const all = recorder(bus, '*');
  bus.notify(['*']);
  await Promise.resolve();
  t.deepEqual([one.times(), all.times()], [1, 1]);
  bus.notify(['events:exec_1']);
  await Promise.resolve();
  t.deepEqual([one.times(), all.times()], [1, 2]);
});

test('a topic with a detail wakes those who accept it, and a topic without one all', async (t) => {
  const bus = createWakeBus();
  const heard: string[] = [];
  bus.subscribe('queue:acme/python_tool', () => heard.push('all'));
  bus.subscribe(
    'queue:acme/python_tool',
    () => heard.push('payment'),
    (tool) => tool.startsWith('payment.'),
  );
  const notify = async (...topics: readonly string[]) => {
    heard.length = 0;
    bus.notify(topics);
    await Promise.resolve();
    return heard.join(' ');
  };
  t.is(await notify('queue:acme/python_tool\tshipping.book'), 'all');
  t.is(
    await notify('queue:acme/python_tool\tshipping.book', 'queue:acme/python_tool\tpayment.charge'),
    'all payment',
  );
  t.is(await notify('queue:acme/python_tool'), 'all payment');
  t.is(await notify('queue:acme/python_tool/gpu\tpayment.charge'), '');
  t.is(await notify('*'), 'all payment');
});

test('a subscription to details gets each once, and those of one delivery together', async (t) => {
  const bus = createWakeBus();
  const heard: (readonly (string | null)[])[] = [];
  const end = bus.subscribeToDetails('waits', (details) => heard.push(details));
  bus.notify(['waits\tacme/w', 'waits\tacme/v', 'tenants\tacme']);
  bus.notify(['waits\tacme/w', 'waits']);
  await Promise.resolve();
  bus.notify(['waits\tacme/u']);
  await Promise.resolve();
  t.deepEqual(heard, [['acme/w', 'acme/v', null], ['acme/u']]);
  end();
  bus.notify(['waits\tacme/t']);
  await Promise.resolve();
  t.is(heard.length, 2);
});

test('a listener that throws is reported and does not stop the others', async (t) => {
  const errors: unknown[] = [];
  const bus = createWakeBus({ onListenerError: (error) => errors.push(error) });
  bus.subscribe('timers', () => {
    throw new Error('broken listener');
  });
  const other = recorder(bus, 'timers');
  t.notThrows(() => bus.notify(['timers']));
  await Promise.resolve();
  t.is(other.times(), 1);
  t.is(errors.length, 1);
});

test('more topics than can be kept wake everyone', async (t) => {
  const bus = createWakeBus();
  const bystander = recorder(bus, 'queue:engine');
  bus.notify(Array.from({ length: 5000 }, (_, index) => `events:${index}`));
  await Promise.resolve();
  t.is(bystander.times(), 1);
});

test('topics of executions, queues, timers and schedulers go out; events stay', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  bus.notify(['run:7', 'events:exec_1', 'queue:default/python_tool', 'timers', 'schedulers']);
  bus.notify(['events:exec_1']);
  t.deepEqual(remote.sent, [['run:7', 'queue:default/python_tool', 'timers', 'schedulers']]);
});

test('changes of tokens and tenants go to the other processes with their ids', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  bus.notify([tokenTopic('tok_1'), tenantTopic('acme' as TenantId), 'events:exec_1']);
  t.deepEqual(remote.sent, [['tokens\ttok_1', 'tenants\tacme']]);
});

test('remote topics wake listeners here and are not sent back', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  const heard = recorder(bus, 'run:7');
  remote.receive(['run:7']);
  await Promise.resolve();
  t.is(heard.times(), 1);
  t.deepEqual(remote.sent, []);
});

test('an end goes out only where another process waits for it, and once', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  remote.receive(['awaited:exec_1', 'awaited:exec_2']);
  bus.notify(['ended:exec_3', 'ended:exec_1']);
  bus.notify(['ended:exec_1']);
  t.deepEqual(remote.sent.flat(), ['ended:exec_1']);
  // A third process has ended it.
  remote.receive(['ended:exec_2']);
  bus.notify(['ended:exec_2']);
  t.deepEqual(remote.sent.flat(), ['ended:exec_1']);
});

test('a caller that asks for an end that has just come learns it at once', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  bus.notify(['ended:exec_1']);
  remote.receive(['awaited:exec_1', 'run:7']);
  t.deepEqual(remote.sent, [['ended:exec_1']]);
});

test('the oldest ends and the oldest waits for them are forgotten', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  bus.notify(Array.from({ length: 1_001 }, (_, n) => `ended:exec_${n}`));
  remote.receive(['awaited:exec_0', 'awaited:exec_1']);
  t.deepEqual(remote.sent.flat(), ['ended:exec_1']);
  remote.receive(Array.from({ length: 20_001 }, (_, n) => `awaited:next_${n}`));
  bus.notify(['ended:next_0', 'ended:next_1', 'ended:next_20000']);
  t.deepEqual(remote.sent.flat().slice(1), ['ended:next_1', 'ended:next_20000']);
});

test('a wait for an end is announced to the other processes', async (t) => {
  const remote = fakeRemote();
  const bus = createWakeBus();
  await connectRemoteWake({ bus, remote });
  bus.notify(['awaited:exec_1']);
  t.deepEqual(remote.sent, [['awaited:exec_1']]);
});

test('a remote side that throws does not reach the notifier', async (t) => {
  const bus = createWakeBus();
  bus.forwardTo(() => {
    throw new Error('connection lost');
  });
  const heard = recorder(bus, 'run:1');
  t.notThrows(() => bus.notify(['run:1']));
  await Promise.resolve();
  t.is(heard.times(), 1);
});

function recorder(bus: ReturnType<typeof createWakeBus>, topic: string) {
  let times = 0;
  const end = bus.subscribe(topic, () => times++);
  return { times: () => times, end };
}

function fakeRemote() {
  const sent: (readonly string[])[] = [];
  let onTopics: (topics: readonly string[]) => void = () => undefined;
  const remote: RemoteWake = {
    send: (topics) => void sent.push(topics),
    flush: async () => undefined,
    listen: async (listener) => {
      onTopics = listener;
    },
  };
  return { ...remote, sent, receive: (topics: readonly string[]) => onTopics(topics) };
}
