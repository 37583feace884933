import test from 'ava';

import { fitColumns } from '../../bin/cli/lists/fit-columns.ts';

const ID = 'exec_0198c0de00007000a000000000000001';
const SENTENCE = 'the payment was refused by the bank, which gave no reason';

test('texts are cut to the width of the terminal, the widest column first', (t) => {
  const head = ['EXECUTION', 'ERROR', 'COMMENT'];
  const rows = [[ID, SENTENCE, 'look into it']];
  const [row = []] = fitColumns({ head, rows }, 80);
  t.is(row[0], ID);
  t.is(row[2], 'look into it');
  t.is(row.join('  ').length, 80);
  t.regex(row[1] ?? '', /^the payment was refused by.*…$/);
});

test('ids, names and times stay whole however narrow the terminal is', (t) => {
  const head = ['EXECUTION', 'AT', 'NODE'];
  const rows = [
    [ID, '2026-11-29T10:00:00.000Z', 'a-node-with-a-long-name'],
    [ID, '-', 'two words'],
  ];
  t.deepEqual(fitColumns({ head, rows }, 20), rows);
});

test('addresses stay whole, and long words that are no names are cut', (t) => {
  const address = 'https://hooks.example.com/orders/0198c0de00007000a000000000000001?try=2';
  const json = JSON.stringify({ error: 'declined', codes: ['51', '05'], network: 'visa' });
  const short = '{"error":"declined"}';
  const sentence =
    '銀行が理由を示さずに支払いを拒否しました。明日もう一度試してください。担当者に連絡済みです。';
  const rows = [
    [address, short],
    ['-', json],
    ['-', sentence],
    ['-', 'A'.repeat(300)],
  ];
  const fitted = fitColumns({ head: ['URL', 'ERROR'], rows }, 20);
  t.deepEqual(
    fitted.map(([first]) => first),
    [address, '-', '-', '-'],
  );
  t.deepEqual(
    fitted.map(([, second]) => second),
    [short, `${json.slice(0, 19)}…`, '銀行が理由を示さず…', `${'A'.repeat(19)}…`],
  );
});

test('a column keeps the width that its names need', (t) => {
  const name = 'billing-of-the-last-month';
  const rows = [[name], [`${SENTENCE} ${SENTENCE}`]];
  const [, [text = ''] = []] = fitColumns({ head: ['ABOUT'], rows }, 10);
  t.is(text.length, name.length);
});

test('texts that fit stay whole, and each line of a cell is cut alone', (t) => {
  const fitting = [['a b', 'c d']];
  t.deepEqual(fitColumns({ head: ['ONE', 'TWO'], rows: fitting }, 80), fitting);
  const [[cell = ''] = []] = fitColumns({ head: ['ONE'], rows: [[`${SENTENCE}\nshort`]] }, 20);
  t.deepEqual(
    cell.split('\n').map((line) => line.length),
    [20, 5],
  );
});

test('letters that a terminal shows twice as wide count twice', (t) => {
  const cutTo = (text: string, width: number) =>
    fitColumns({ head: ['ABOUT'], rows: [[text]] }, width)[0]?.[0];
  t.is(cutTo('この 承認は 金曜日まで', 30), 'この 承認は 金曜日まで');
  t.is(cutTo('この 承認は 金曜日まで', 15), 'この 承認は 金…');
  t.is(cutTo('결제가 거부되었습니다', 15), '결제가 거부되…');
  t.is(cutTo('déjà vu, cafe\u0301s fermés', 12), 'déjà vu, ca…');
  t.is(cutTo('👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧', 14), '👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧');
});
