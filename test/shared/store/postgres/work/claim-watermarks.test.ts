import test from 'ava';

import { createClaimWatermarks } from '../../../../../src/shared/store/postgres/work/claim-watermarks.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';

const KEY = 'acme/python_tool';
const part = (scope = '', filter = '') => ({ queueKey: KEY, scope, filter });
const HEAD = { priority: 0, seq: 0 };

function at(seq: number, priority = 5): { readonly priority: number; readonly seq: number } {
  return { priority, seq };
}

/** Watermarks with a manual clock. */
function setUp() {
  let time = 0;
  const watermarks = createClaimWatermarks(() => time);
  return {
    watermarks,
    pass: (ms: number) => {
      time += ms;
    },
    start: (options: { readonly scope?: string; readonly cameBackEmpty?: boolean } = {}) =>
      watermarks.start(part(options.scope), options.cameBackEmpty ?? false),
    claimed: (position: { readonly priority: number; readonly seq: number }) =>
      watermarks.noteClaimed(part(), position),
  };
}

test('an unknown queue is searched from its head', (t) => {
  t.deepEqual(setUp().start(), HEAD);
});

test('each filter has a watermark of its own, and all end with their queue', (t) => {
  const { watermarks, claimed, pass, start } = setUp();
  const payments = part('', 'payment.*');
  for (const seq of [10, 20, 30]) {
    claimed(at(seq));
    watermarks.noteClaimed(payments, at(seq + 100));
    pass(60);
  }
  t.deepEqual([start(), watermarks.start(payments, false)], [at(20), at(120)]);
  t.deepEqual(watermarks.start(part('', 'shipping.*'), false), HEAD);
  watermarks.reset(KEY);
  t.deepEqual([start(), watermarks.start(payments, false)], [HEAD, HEAD]);
});

test('the watermark trails behind the claims by more than a commit takes', (t) => {
  const { claimed, pass, start } = setUp();
  claimed(at(10));
  claimed(at(20));
  t.deepEqual(start(), HEAD);
  pass(50);
  claimed(at(30));
  t.deepEqual(start(), at(10));
  pass(50);
  claimed(at(40));
  t.deepEqual(start(), at(30));
});

test('once a second the queue is searched from its head', (t) => {
  const { claimed, pass, start } = setUp();
  claimed(at(10));
  pass(60);
  claimed(at(20));
  t.deepEqual(start(), at(10));
  pass(1_000);
  t.deepEqual(start(), HEAD);
  t.deepEqual(start(), at(10));
});

test('a claim that found nothing searches from the head sooner', (t) => {
  const { claimed, pass, start } = setUp();
  claimed(at(10));
  pass(60);
  claimed(at(20));
  t.deepEqual(start({ cameBackEmpty: true }), at(10));
  pass(60);
  t.deepEqual(start({ cameBackEmpty: true }), HEAD);
  t.deepEqual(start({ cameBackEmpty: true }), at(10));
});

test('an item found below the watermark takes it back', (t) => {
  const { claimed, pass, start } = setUp();
  claimed(at(10));
  pass(60);
  claimed(at(20));
  claimed(at(3));
  t.deepEqual(start(), at(3));
  claimed(at(9, 1));
  t.deepEqual(start(), at(9, 1));
});

test('an item of a higher priority makes the queue begin again', (t) => {
  const { claimed, pass, start, watermarks } = setUp();
  const ticket = { tenantId: 'acme', queue: 'python_tool', priority: 5 } as WorkTicket;
  claimed(at(10));
  pass(60);
  claimed(at(20));
  watermarks.noteEnqueued(ticket);
  t.deepEqual(start(), at(10));
  watermarks.noteEnqueued({ ...ticket, priority: 4 });
  t.deepEqual(start(), HEAD);
});

test('other shards begin at the head', (t) => {
  const { claimed, pass, start } = setUp();
  claimed(at(10));
  pass(60);
  claimed(at(20));
  t.deepEqual(start({ scope: '1,2' }), HEAD);
});
