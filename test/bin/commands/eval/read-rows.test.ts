import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

import { readRows } from '../../../../bin/commands/eval/read-rows.ts';
import type { DatasetFormat, Row } from '../../../../src/shared/evaluation/make-case.ts';
import { createFolder } from '../../run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
let files = 0;

async function read(format: DatasetFormat, text: string): Promise<readonly Row[]> {
  const file = join(folder.path, `${files++}.${format}`);
  await writeFile(file, text);
  const rows: Row[] = [];
  for await (const row of readRows(file, format)) rows.push(row);
  return rows;
}

const good = (line: number, value: object) => ({ line, ok: true, value });
const bad = (line: number, problem: string) => ({ line, ok: false, problem });

test('JSON lines: objects, empty lines left out, bad ones named by their line', async (t) => {
  t.deepEqual(await read('jsonl', '\ufeff{"a":1}\r\n\n[2]\n{"a"\n  {"a":3}'), [
    good(1, { a: 1 }),
    bad(3, 'is not a JSON object'),
    bad(4, 'is not JSON'),
    good(5, { a: 3 }),
  ]);
  t.deepEqual(await read('jsonl', ''), []);
});

test('JSON lines: one that is too long costs no other', async (t) => {
  const rows = await read('jsonl', `{"a":1}\n{"a":"${'x'.repeat(9_000_000)}"}\n{"a":3}\n`);
  t.deepEqual(rows, [
    good(1, { a: 1 }),
    bad(2, 'longer than 8388608 characters'),
    good(3, { a: 3 }),
  ]);
});

test('JSON lines: one that is nested too deeply costs no other', async (t) => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const rows = await read('jsonl', `${nested(99)}\n${nested(100)}\n${nested(50_000)}\n{"a":4}\n`);
  t.deepEqual(
    rows.map(({ line, ok }) => [line, ok]),
    [
      [1, true],
      [2, false],
      [3, false],
      [4, true],
    ],
  );
  t.deepEqual(rows[2], bad(3, 'is nested deeper than 100'));
});

test('CSV: quotes hold commas, quotes and line ends', async (t) => {
  const text = 'a,b\r\n1,"x, ""y"""\r\n\r\n"two\nlines",\r\n"",3';
  t.deepEqual(await read('csv', text), [
    good(2, { a: '1', b: 'x, "y"' }),
    good(4, { a: 'two\nlines', b: '' }),
    good(6, { a: '', b: '3' }),
  ]);
});

test('CSV: an invalid record is named by the line it begins on', async (t) => {
  const text = 'a,b\n1\n1,2,3\nx"y,2\n"x"y,2\n5,6\n"open,\n7,8\n';
  t.deepEqual(await read('csv', text), [
    bad(2, '1 cells, and the header has 2'),
    bad(3, '3 cells, and the header has 2'),
    bad(4, 'a quote inside an unquoted cell'),
    bad(5, 'text follows the closing quote of a cell'),
    good(6, { a: '5', b: '6' }),
    bad(7, 'a quoted cell does not end'),
  ]);
});

test('CSV: a record that is too long is named, and the next line is read', async (t) => {
  t.deepEqual(await read('csv', `a\n${'x'.repeat(9_000_000)}\n1\n`), [
    bad(2, 'longer than 8388608 characters'),
    good(3, { a: '1' }),
  ]);
});

for (const [text, problem] of [
  ['a,a\n1,2\n', 'the header names "a" twice'],
  ['a,\n1,2\n', 'the header has a column without a name'],
  ['a,__proto__\n1,2\n', 'the header names "__proto__"'],
  ['a"b\n1\n', 'a quote inside an unquoted cell'],
] as const) {
  test(`CSV: ${problem}`, async (t) => {
    t.deepEqual(await read('csv', text), [bad(1, problem)]);
  });
}

test('rows come while the file is still being read', async (t) => {
  const file = join(folder.path, 'long.jsonl');
  await writeFile(file, '{"a":1}\n'.repeat(200_000));
  let taken = 0;
  for await (const row of readRows(file, 'jsonl')) {
    t.true(row.ok);
    taken += 1;
    if (taken === 3) break;
  }
  t.is(taken, 3);
});
