import test from 'ava';
import {
  evaluateExpression,
  isTruthy,
} from '../../../../src/shared/domain/expression/evaluate-expression.ts';
import type {
  EvaluationResult,
  ExpressionScope,
} from '../../../../src/shared/domain/expression/evaluate-expression.ts';
import { parseExpression } from '../../../../src/shared/domain/expression/parse-expression.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';

const scope: ExpressionScope = {
  state: {
    n: 4,
    i: 1,
    zero: 0,
    price: 2.5,
    name: 'Ada',
    smile: 'a😀b',
    empty: '',
    none: null,
    list: [10, 20, 30],
    emptyList: [],
    emptyMap: {},
    byId: { '7': 'seven', seven: 7 },
    people: [
      { name: 'Ada', age: 36 },
      { name: 'Bob', age: 17 },
    ],
    'any key': true,
  },
  output: { ok: true, score: 0.75 },
  input: { item: 'x' },
  execution: { id: 'exec_1' },
};

const values: readonly (readonly [string, JsonValue])[] = [
  // An absent path equals null.
  ['state.missing', null],
  ['state.a.b.c == null', true],
  ['state.name.first == null', true],
  ['state.none == null', true],
  ['state.missing != 3', true],
  ['state.list[3]', null],
  ['state.list[-1]', null],
  ['state.byId[state.missing]', null],
  ['has(state.none)', true],
  ['has(state.missing)', false],
  ['has(state.a.b.c)', false],
  ['has(state.list[0])', true],
  // Prototypes are out of reach.
  ['state.constructor', null],
  ['state.__proto__', null],
  ['state["__proto__"].polluted', null],
  ['state.list.length', null],
  ['state.name.length', null],
  ['has(state.toString)', false],
  ['"toString" in state', false],
  // Any value is a condition.
  ['state.n && !state.empty', true],
  ['state.zero || state.none || state.emptyList || state.emptyMap', false],
  ['state.missing ? 1 : 2', 2],
  ['state.list ? 1 : 2', 1],
  ['!state.missing', true],
  ['state.missing && state.missing > 3', false],
  ['state.name || state.missing > 3', true],
  ['true ? state.name : 1 / 0', 'Ada'],
  // Numbers are those of JSON.
  ['state.n == 4', true],
  ['state.n == 4.0', true],
  ['state.n + 1', 5],
  ['state.n % 2 == 0', true],
  ['-7 % 4', -3],
  ['state.n / 8', 0.5],
  ['state.price * 2', 5],
  ['state.n - state.price', 1.5],
  ['-state.n', -4],
  ['state.list[state.i]', 20],
  ['state.list[state.n / 4]', 20],
  ['size(state.list) > 2', true],
  ['output.score >= 0.75', true],
  ['0xff', 255],
  ['1e3', 1000],
  ['int("12") + int(2.9)', 14],
  ['double("1.5")', 1.5],
  ['string(1.5) + string(true)', '1.5true'],
  ['bool("false")', false],
  // Equality is deep and never converts.
  ['"4" == state.n', false],
  ['state.zero == null', false],
  ['state.zero == false', false],
  ['state.people[0] == {"age": 36, "name": "Ada"}', true],
  ['[1, [2, {"a": null}]] == [1, [2, {"a": null}]]', true],
  ['[1, 2] == [1]', false],
  ['{"a": 1} == {"b": 1}', false],
  // Membership.
  ['20 in state.list', true],
  ['"20" in state.list', false],
  ['"seven" in state.byId', true],
  ['{"name": "Bob", "age": 17} in state.people', true],
  ['"x" in state.missing', false],
  // Paths.
  ['state["any key"]', true],
  ['state.byId[7]', 'seven'],
  ['state.people[1].name', 'Bob'],
  ['input.item + execution.id', 'xexec_1'],
  // Strings.
  ['state.name < "Bob"', true],
  ['state.name.contains("d")', true],
  ['state.name.startsWith("A") && state.name.endsWith("a")', true],
  ['state.name.size() == size("Ada")', true],
  ['size(state.smile)', 3],
  ['state.smile.charAt(1)', '😀'],
  ['state.smile.substring(1, 2)', '😀'],
  ['state.smile.substring(3)', ''],
  ['state.smile.indexOf("b")', 2],
  ['state.smile.lastIndexOf("z")', -1],
  ['state.smile.split("")', ['a', '😀', 'b']],
  ['"a,b,c".split(",").join("-")', 'a-b-c'],
  ['state.list.join("/")', '10/20/30'],
  ['" Straße ".trim().upperAscii()', 'STRAßE'],
  ['"ÄBC".lowerAscii()', 'Äbc'],
  ['"a.b.c".replace(".", "$&")', 'a$&b$&c'],
  ['"abc".replace("", "x")', 'abc'],
  // Lists, objects and comprehensions.
  ['[1] + [state.n]', [1, 4]],
  ['{"a": {"b": state.missing}}', { a: { b: null } }],
  ['state.people.map(p, p.name)', ['Ada', 'Bob']],
  ['state.people.map(p, p.age < 18, p.name)', ['Bob']],
  ['state.people.filter(p, p.age > 18).size()', 1],
  ['state.people.all(p, p.age)', true],
  ['state.people.exists(p, p.name == "Bob")', true],
  ['state.list.exists_one(x, x > 10)', false],
  ['state.byId.exists(k, state.byId[k] == 7)', true],
  ['state.list.map(x, state.list.filter(y, y < x).size())', [0, 1, 2]],
  ['state.list.map(state, state)', [10, 20, 30]],
];

for (const [source, expected] of values) {
  test(`${source} is ${JSON.stringify(expected)}`, (t) => {
    t.deepEqual(run(source), { ok: true, value: expected });
  });
}

const failures: readonly (readonly [string, RegExp])[] = [
  ['state.missing > 3', /cannot apply > to null and a number/],
  ['state.name + 1', /cannot apply \+ to a string and a number/],
  ['state.list < 1', /cannot apply < to a list and a number/],
  ['"A" in state.name', /cannot apply in to a string and a string/],
  ['-state.name', /cannot negate a string/],
  ['1 / state.zero', /division by zero/],
  ['1 % 0', /division by zero/],
  ['9007199254740991 + 1', /2\^53/],
  ['double("1e300")', /2\^53/],
  ['size(state.n)', /size\(\) of a number/],
  ['state.n.trim()', /trim\(\) called on a number/],
  ['state.name.contains(1)', /contains\(\) given a number/],
  ['state.name.substring(4)', /outside the string/],
  ['state.name.substring(2, 1)', /ends before it starts/],
  ['state.people.join(",")', /a list that holds an object/],
  ['state.missing.map(x, x)', /map\(\) called on null/],
  ['int(state.name)', /int\(\) of a string that is no integer/],
  ['string(null)', /string\(\) of null/],
  ['bool("maybe")', /neither "true" nor "false"/],
  ['{1: 2}', /must be a string, not a number/],
  ['{"__proto__": 1}', /not allowed/],
  ['{"construc" + "tor": 1}', /not allowed/],
];

for (const [source, reason] of failures) {
  test(`${source} fails, with the expression quoted and no data`, (t) => {
    const result = run(source);
    if (result.ok) return t.fail(`gave ${JSON.stringify(result.value)}`);
    t.regex(result.message, reason);
    t.true(result.message.startsWith(`expression \`${source}\`: `));
    t.false(result.message.includes('Ada'));
  });
}

test('own properties named like those of prototypes are data', (t) => {
  const state = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
  t.deepEqual(run('state.__proto__.a + state.constructor', { ...scope, state }), {
    ok: true,
    value: 3,
  });
});

test('isTruthy: false for null, false, 0 and what is empty', (t) => {
  for (const value of [null, false, 0, '', [], {}]) t.false(isTruthy(value));
  for (const value of [true, -1, 0.5, '0', [null], { a: null }]) t.true(isTruthy(value));
});

function run(source: string, given: ExpressionScope = scope): EvaluationResult {
  const parsed = parseExpression(source);
  return parsed.ok ? evaluateExpression(parsed.expression, given) : parsed;
}
