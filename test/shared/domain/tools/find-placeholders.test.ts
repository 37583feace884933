import test from 'ava';

import { findPlaceholders } from '../../../../src/shared/domain/tools/find-placeholders.ts';

const find = (text: string, paths = false) =>
  findPlaceholders(text, { paths })
    .map(({ kind, inner, start, end }) => [kind, inner, text.slice(start, end)])
    .toArray();

test('expressions, secrets and paths are found from left to right', (t) => {
  t.deepEqual(find('a {{ x }} b ${secret:KEY} c {id}'), [
    ['expression', ' x ', '{{ x }}'],
    ['secret', 'KEY', '${secret:KEY}'],
  ]);
  t.deepEqual(find('{a}/{{b}}/{c}${secret:}', true), [
    ['path', 'a', '{a}'],
    ['expression', 'b', '{{b}}'],
    ['path', 'c', '{c}'],
    ['secret', '', '${secret:}'],
  ]);
  t.deepEqual(find('{{{a}}}', true), [['expression', '{a', '{{{a}}']]);
  t.deepEqual(find('{{a}', true), [['path', 'a', '{a}']]);
  t.deepEqual(find('{ {a} ${b}', true), [
    ['path', 'a', '{a}'],
    ['path', 'b', '{b}'],
  ]);
  t.deepEqual(find('}} {{ {secret:KEY} ${secret:KEY'), []);
});

test('braces without a partner take time linear in the text', (t) => {
  const count = 100_000;
  for (const unit of ['{{', '{', '${secret:', '{a', '{{}', '${']) {
    for (const end of ['', '}', '}}']) {
      const begun = performance.now();
      find(unit.repeat(count) + end, true);
      find(unit.repeat(count) + end, false);
      t.true(performance.now() - begun < 5000, `${unit} … ${end}`);
    }
  }
});
