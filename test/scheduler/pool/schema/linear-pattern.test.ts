import test from 'ava';

import { linearPattern } from '../../../../src/scheduler/pool/schema/linear-pattern.ts';

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'A',
  '-',
  ']',
  '[',
  '.',
  '/',
  '\\',
  '^',
  '$',
  '0',
  '7',
  '_',
  'a-b',
  '\n',
  '\r',
  '\v',
  '\0',
  '\b',
  '\u00a0',
  '\u2028',
  '\ufeff',
  ' ',
  'a\nb',
  'a\u2028b',
  '\u0001',
  'é',
  'λ',
  'Λ',
  '日',
  '😀',
  'a😀b',
  '\u{10ffff}',
  ':alpha:',
  'AB1234',
  'a@example.com',
  'x{1}',
];

const PATTERNS = [
  '',
  '^a',
  'a$',
  '^a+b?$',
  '^(a|b)*$',
  '(?:a)',
  '(?<first>a)b',
  '^.$',
  '^.*$',
  'a.b',
  '^[^]$',
  '[]',
  '[^a]',
  '[a-b]',
  '[-a]',
  '[a-]',
  '[a-b-c]',
  '[\\]]',
  '[\\^a]',
  '[a^]',
  '[[:alpha:]',
  '[[]',
  '\\s',
  '^\\S+$',
  '[\\s]',
  '^[\\s\\S]*$',
  '[^\\s]',
  '^[^\\S]$',
  '[\\b]',
  '\\bab\\b',
  'a\\Bb',
  '\\d',
  '\\w',
  '\\W',
  '[\\w-]',
  '\\.',
  '\\/',
  '\\\\',
  '\\^',
  '\\$',
  '\\[',
  '\\]',
  '\\{1\\}',
  '\\0',
  '\\cA',
  '\\t|\\n|\\v|\\f|\\r',
  '\\x41',
  '\\u0041',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '[\\u{1F600}]',
  '^\\p{L}$',
  '\\p{Lu}',
  '\\P{L}',
  '\\p{Script=Greek}',
  '\\p{sc=Han}',
  '\\p{gc=Lu}',
  '[\\p{L}\\d]',
  '^[A-Z]{2}\\d{4,10}$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
  'a{2}',
  'a{0,}',
  '(a+)+$',
  'a*?b',
  'a??',
  '[(?=a)]',
  '[(?<x>]',
  '[.]',
  '[\\/]',
  '[\\-]',
  '^(?:(?:a|b)|(c))$',
  '日',
  '^😀$',
  '^.😀',
  '[é-λ]',
];

test('a pattern accepts the same texts as in JavaScript', (t) => {
  for (const source of PATTERNS) {
    const compiled = linearPattern(source);
    if (!compiled.ok) {
      t.fail(`${source} ${compiled.why}`);
      continue;
    }
    const javascript = new RegExp(source, 'u');
    for (const text of TEXTS) {
      t.is(
        compiled.pattern.test(text),
        javascript.test(text),
        `${source} on ${JSON.stringify(text)}`,
      );
    }
  }
});

test('a pattern that cannot be matched in linear time is reported, with the reason', (t) => {
  const why = (source: string) => {
    const compiled = linearPattern(source);
    return compiled.ok ? null : compiled.why;
  };
  t.is(why('^(?=a)b'), 'looks ahead');
  t.is(why('^(?!a)b'), 'looks ahead');
  t.is(why('(?<=a)b'), 'looks behind');
  t.is(why('(?<!a)b'), 'looks behind');
  t.is(why('(a)\\1'), 'refers back to a group');
  t.is(why('(?<x>a)\\k<x>'), 'refers back to a group');
  t.is(why('(?i:a)'), 'changes flags within the pattern');
  t.regex(why('^.{1,2000}$') ?? '', /RE2 .*repeat count/);
  t.is(why('(?:a{1,1000})(?:b{1,1000})'.repeat(10)), 'is too large');
  t.is(why('a'.repeat(8193)), 'is too large');
});

test('an invalid pattern in JavaScript is invalid here', (t) => {
  for (const source of ['(', '\\z', '(?P<x>a)', 'a++', '\\-', '[b-a]']) {
    t.throws(() => linearPattern(source), { instanceOf: SyntaxError }, source);
  }
});

test('patterns that make JavaScript backtrack without end take as long as the text is', (t) => {
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(x+x+)+y',
    '^(.*a){20}$',
    '(.*)*=.*=',
  ]) {
    const compiled = linearPattern(source);
    if (!compiled.ok) return t.fail(`${source} ${compiled.why}`);
    const begun = performance.now();
    t.false(compiled.pattern.test(`${'a'.repeat(100_000)}!`), source);
    t.true(performance.now() - begun < 5000, source);
  }
});
