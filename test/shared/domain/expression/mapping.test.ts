import test from 'ava';
import type { ExpressionScope } from '../../../../src/shared/domain/expression/evaluate-expression.ts';
import { evaluateMapping, parseMapping } from '../../../../src/shared/domain/expression/mapping.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';

const scope: ExpressionScope = {
  state: {
    a: [{ b: 'first' }, { b: 'second' }],
    n: 3,
    'any key': 'spaced',
    'a-b': 'hyphen',
    größe: 'unicode',
    nested: { '0': 'zero' },
  },
  output: { text: 'done' },
  input: { item: { id: 7 } },
  execution: { execution_id: 'exec_1' },
};

const mapped: readonly (readonly [string, JsonValue, JsonValue])[] = [
  ['a path below $', '$.n', 3],
  ['a path below $state', '$state.n', 3],
  ['a path below state', 'state.n', 3],
  ['an index', '$.a[1].b', 'second'],
  ['an index after a dot', '$.a.1.b', 'second'],
  ['a digit key of an object', '$.nested.0', 'zero'],
  ['a quoted key', '$["any key"]', 'spaced'],
  ['a key with a hyphen', '$.a-b', 'hyphen'],
  ['a key beyond ASCII', '$.größe', 'unicode'],
  ['the whole state', '$', scope.state],
  ['a whole variable', '$output', { text: 'done' }],
  ['an input path', 'input.item.id', 7],
  ['an input path behind $', '$input.item', { id: 7 }],
  ['an output path', 'output.text', 'done'],
  ['an execution path', 'execution.execution_id', 'exec_1'],
  ['an absent path', '$.missing.deeper[4]', null],
  ['an absent index', '$.a[9]', null],
  ['a key of a list', '$.a.b', null],
  ['a prototype key', '$.constructor', null],
  ['a prototype key of a list', '$.a.length', null],
  ['a word', 'state', 'state'],
  ['a sentence that starts like a path', 'state.of the art', 'state.of the art'],
  ['a longer word', 'stateful.x', 'stateful.x'],
  ['a wildcard', '$.a[*].b', '$.a[*].b'],
  ['an amount', '$5.00', '$5.00'],
  ['a small amount', '$.50', '$.50'],
  ['an unfinished path', '$.a.', '$.a.'],
  ['a path in a text', 'see $.n', 'see $.n'],
  ['an empty string', '', ''],
  ['a number', 5, 5],
  ['null', null, null],
  ['a literal string', { literal: '$.n' }, '$.n'],
  ['a literal object', { literal: { expr: 'state.n' } }, { expr: 'state.n' }],
  ['an expression', { expr: 'state.n + 1' }, 4],
  ['an object that has more than expr', { expr: '$.n', unit: 's' }, { expr: 3, unit: 's' }],
  [
    'nested objects and lists',
    { list: ['$.n', 'word', { deep: '$.a[0].b' }], expr2: { expr: 'size(state.a)' } },
    { list: [3, 'word', { deep: 'first' }], expr2: 2 },
  ],
];

for (const [what, raw, expected] of mapped) {
  test(`${what}: ${JSON.stringify(raw)}`, (t) => {
    const parsed = parseMapping(raw);
    if (!parsed.ok) return t.fail(parsed.message);
    t.deepEqual(evaluateMapping(parsed.mapping, scope), { ok: true, value: expected });
  });
}

const refused: readonly (readonly [string, JsonValue, string, RegExp])[] = [
  ['an expression that does not parse', { a: [{ expr: 'x +' }] }, '/a/0/expr', /syntax error/],
  ['an expression that is no string', { expr: 5 }, '/expr', /must be a string/],
  ['an unknown variable', { 'a/b~c': { expr: 'foo' } }, '/a~1b~0c/expr', /unknown variable foo/],
  ['a prototype key', JSON.parse('{"__proto__": 1}'), '/__proto__', /not allowed/],
];

for (const [what, raw, pointer, reason] of refused) {
  test(`refused with its place: ${what}`, (t) => {
    const parsed = parseMapping(raw);
    if (parsed.ok) return t.fail('was accepted');
    t.is(parsed.pointer, pointer);
    t.regex(parsed.message, reason);
  });
}

test('a mapping nested too deeply is refused', (t) => {
  let raw: JsonValue = 1;
  for (let level = 0; level < 5000; level += 1) raw = [raw];
  t.false(parseMapping(raw).ok);
});

test('the first expression that fails fails the mapping', (t) => {
  const parsed = parseMapping({ good: '$.n', bad: [{ expr: 'state.missing > 1' }] });
  if (!parsed.ok) return t.fail(parsed.message);
  const result = evaluateMapping(parsed.mapping, scope);
  t.false(result.ok);
  t.regex(result.ok ? '' : result.message, /`state\.missing > 1`/);
});

test('a mapping that repeats a large value is refused rather than written', (t) => {
  const parsed = parseMapping(Array.from({ length: 100 }, () => '$.large'));
  if (!parsed.ok) return t.fail(parsed.message);
  const state = { large: 'x'.repeat(100_000) };
  const result = evaluateMapping(parsed.mapping, { ...scope, state });
  t.regex(result.ok ? '' : result.message, /more than 4194304 characters/);
});
