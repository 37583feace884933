import test from 'ava';

import { toJson } from '../../sdk/typescript/src/to-json.ts';

const problemOf = (value: unknown): string | null => {
  const read = toJson(value, 'output');
  return read.ok ? null : read.problem;
};

test('a value that is JSON comes back as JSON.stringify writes it', (t) => {
  class Point {
    readonly x = 1;
    readonly #secret = 2;
    get sum(): number {
      return this.x + this.#secret;
    }
  }
  const shared = { once: true };
  const values: readonly unknown[] = [
    null,
    'text',
    0,
    -0,
    true,
    [],
    {},
    [1, [2, { three: 3 }]],
    { gone: undefined, kept: null },
    [undefined, 1],
    Object.assign(Array.from({ length: 2 }), { 1: 'last' }),
    new Date(0),
    new URL('https://example.com/a'),
    Buffer.from('ab'),
    new Point(),
    Object.assign(Object.create(null), { bare: 1 }),
    { toJSON: () => ({ own: 'form' }) },
    { at: { toJSON: (key: string) => key } },
    { gone: { toJSON: () => undefined } },
    { first: shared, second: shared },
    [new Number(1), new String('ab'), new Boolean(false)],
    JSON.parse('{"__proto__": {"polluted": true}, "2": 1, "1": 2}'),
  ];
  for (const value of values) {
    const read = toJson(value, 'output');
    t.true(read.ok);
    t.is(JSON.stringify(read.ok ? read.value : null), JSON.stringify(value));
  }
});

test('a problem names the place and what to use instead', (t) => {
  const orders = (total: unknown) => ({ items: [1, 2, 3, { total }] });
  const at = 'output.items[3].total is';
  t.is(problemOf(orders(10n)), `${at} a BigInt; use text or a number`);
  t.is(problemOf(orders(Number.NaN)), `${at} NaN; use null or text`);
  t.is(problemOf(orders(-Infinity)), `${at} -Infinity; use null or text`);
  t.is(problemOf(orders(new Date(Number.NaN))), `${at} an invalid Date; use null or text`);
  t.is(problemOf(orders(() => 1)), `${at} a function; leave it out`);
  t.is(problemOf(orders(Symbol('s'))), `${at} a symbol; leave it out`);
  t.is(problemOf(orders(new Map())), `${at} a Map; use Object.fromEntries(map)`);
  t.is(problemOf(orders(new Set())), `${at} a Set; use [...set]`);
  t.is(problemOf(orders(Promise.resolve(1))), `${at} a Promise; await it`);
  t.is(problemOf(orders(new Response('{}'))), `${at} a Response; use await response.json()`);
  t.regex(problemOf(orders(new Uint8Array(2))) ?? '', /is a Uint8Array; use text in base64/);
  t.regex(problemOf(orders(new ArrayBuffer(2))) ?? '', /is an ArrayBuffer; use text in base64/);
});

test('an error is its name, its message and its own members', (t) => {
  const declined = Object.assign(new RangeError('no'), { code: 'declined' });
  t.deepEqual(toJson([declined], 'output'), {
    ok: true,
    value: [{ name: 'RangeError', message: 'no', code: 'declined' }],
  });
});

test('the path quotes names that are no identifiers', (t) => {
  t.is(problemOf({ 'a b': { ü: 1n } }), 'output["a b"].ü is a BigInt; use text or a number');
  t.is(problemOf(1n), 'output is a BigInt; use text or a number');
  const read = toJson({ input: { total: 1n } }, '');
  t.is(read.ok ? null : read.problem, 'input.total is a BigInt; use text or a number');
});

test('a cycle names both of its places', (t) => {
  const order: Record<string, unknown> = { lines: [{}] };
  order['lines'] = [{ order }];
  t.is(problemOf({ order }), 'output.order.lines[0].order is output.order again; break the cycle');
});

test('a value that nests without end is a problem, and not a full stack', (t) => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  t.regex(problemOf(deep) ?? '', /\[0\] is nested deeper than 500 levels$/);
});

test('a getter that throws is a problem', (t) => {
  const broken = {
    get total(): never {
      throw new RangeError('no');
    },
  };
  t.is(problemOf(broken), 'output throws RangeError: no when it is read');
});

test('a BigInt that the program has given a toJSON is what that gives', (t) => {
  const proto = BigInt.prototype as { toJSON?: () => string };
  proto.toJSON = function toJSON(this: bigint) {
    return this.toString();
  };
  t.teardown(() => delete proto.toJSON);
  t.deepEqual(toJson({ total: 10n }, 'output'), { ok: true, value: { total: '10' } });
});
