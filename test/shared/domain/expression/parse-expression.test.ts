import test from 'ava';
import { parseExpression } from '../../../../src/shared/domain/expression/parse-expression.ts';

const accepted = [
  'state.a.b',
  'state["any key"][0].c',
  'state.a == null && !has(state.b)',
  'state.list.exists(x, x.id == input.id)',
  'state.a.all(x, x.all(y, y > 0)) ? "yes" : "no"',
  '{"sum": state.a + 1, "list": [1, 2, 3]}',
  'output.text.trim().lowerAscii().startsWith("ok")',
  'state.a // a comment',
  Array.from({ length: 200 }, (_, index) => `state.f${index}`).join(' && '),
];

for (const source of accepted) {
  test(`accepted: ${source.slice(0, 60)}`, (t) => {
    const parsed = parseExpression(source);
    t.true(parsed.ok, parsed.ok ? '' : parsed.message);
  });
}

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['an empty text', '  ', /is empty/],
  ['a syntax error, with its column', 'state.a &&', /syntax error at column 11/],
  ['and in place of &&', 'state.a and state.b', /joined with && and \|\|/],
  ['an assignment', 'state.a = 1', /compared with ==/],
  ['a path with $', '$.customer', /paths begin with a variable, such as input\.customer/],
  ['an unknown variable', 'a == 1', /unknown variable a: .*state, output, input, execution/],
  ['the environment', 'env.HOME', /unknown variable env/],
  ['a name of every object', 'constructor', /unknown variable constructor/],
  ['a variable outside its comprehension', 'state.l.all(x, x) && x', /unknown variable x/],
  ['an unknown function', 'now()', /unknown function now\(\): the functions are has, size/],
  ['an unknown method', 'state.a.sort()', /unknown method sort\(\)/],
  ['a function of every object', 'toString()', /unknown function toString/],
  ['a method of every object', 'state.hasOwnProperty("a")', /unknown method hasOwnProperty/],
  ['a method as a function', 'trim(state.a)', /unknown function trim/],
  ['a wrong number of arguments', 'size(1, 2)', /wrong number of arguments/],
  ['a regular expression', 'state.a.matches("(a+)+$")', /matches\(\) is not available/],
  ['has() of a value', 'has(1)', /has\(\) takes a path/],
  ['a comprehension over no variable', 'state.l.all(1, true)', /all/],
  ['three comprehensions deep', '[1].map(a, [1].map(b, [1].map(c, c)))', /more than 2 compreh/],
  ['an optional path', 'state.?a', /syntax error/],
  ['a byte string', 'b"abc"', /byte string/],
  ['an unsigned number', '1u', /without the u/],
  ['a number that would be rounded', '9007199254740993', /2\^53/],
  ['a string with U+0000', '"a\\u0000"', /U\+0000/],
  ['a string with a lone surrogate', '"\ud800"', /lone surrogate/],
  ['4097 bytes', `"${'ä'.repeat(2048)}"`, /longer than 4096 bytes/],
  ['deep parentheses', '('.repeat(2000) + '1' + ')'.repeat(2000), /too large/],
  ['deep negation', '!'.repeat(4000) + 'state.a', /nested deeper than 32/],
  ['a deep sum', `1${'+1'.repeat(1000)}`, /nested deeper than 32/],
  ['a deep path', `state${'.a'.repeat(40)}`, /nested deeper than 32/],
  ['a deep list', '['.repeat(40) + ']'.repeat(40), /nested deeper than 32/],
  ['a long list', `[${'1,'.repeat(300)}1]`, /too large/],
];

for (const [what, source, reason] of refused) {
  test(`refused, with the expression quoted: ${what}`, (t) => {
    const parsed = parseExpression(source);
    if (parsed.ok) return t.fail('was accepted');
    t.regex(parsed.message, reason);
    t.true(parsed.message.startsWith('expression `'));
    t.true(parsed.message.length < 600);
  });
}

test('an expression is plain data', (t) => {
  const parsed = parseExpression('state.l.filter(x, x.n > 1).map(x, {"n": x.n})');
  if (!parsed.ok) return t.fail(parsed.message);
  t.deepEqual(JSON.parse(JSON.stringify(parsed.expression)), parsed.expression);
});
