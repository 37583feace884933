import test from 'ava';

import {
  gateRows,
  ratioRows,
  renderMarkdown,
  RESULT_HEAD,
  type Result,
  resultRows,
} from '../../../bench/support/render.ts';
import { replacePart } from '../../../bench/support/save-results.ts';
import { exampleMeasurement } from './example-measurement.ts';

const result: Result = {
  id: 'B/16',
  subject: 'svc',
  what: 'ten steps',
  unit: 'steps',
  rounds: [12_000, 10_000, 14_500].map((units, index) => exampleMeasurement(index + 1, { units })),
  failures: [],
};

function cell(row: readonly string[] | undefined, name: (typeof RESULT_HEAD)[number]) {
  return row?.[RESULT_HEAD.indexOf(name)];
}

test('a row shows the middle round, and the least and the greatest', (t) => {
  const [row] = resultRows([result]);
  t.is(row?.length, RESULT_HEAD.length);
  t.is(cell(row, 'rate /s'), '12 000 steps');
  t.is(cell(row, 'min–max'), '10 000–14 500');
  t.is(cell(row, 'load'), '2.0–2.0');
  t.is(cell(row, 'WAL bytes'), '–');
});

test('a workload that failed in every round says so', (t) => {
  const [row] = resultRows([{ ...result, rounds: [], failures: ['it ended with 1'] }]);
  t.is(row?.length, RESULT_HEAD.length);
  t.is(cell(row, 'rate /s'), 'failed');
});

test('ratios are of the same round, to every other subject and to the raw limit', (t) => {
  const rows = (units: readonly number[]) =>
    units.map((one, index) => exampleMeasurement(index + 1, { units: one }));
  const found = ratioRows([
    result,
    { ...result, subject: 'DBOS', rounds: rows([1_000, 2_000, 1_000]) },
    { ...result, subject: 'raw', id: 'L0/16', rounds: rows([24_000]) },
    { ...result, subject: 'raw', id: 'L0 HTTP/16', rounds: rows([24_000]) },
  ]);
  t.deepEqual(found, [
    ['B/16', 'DBOS', '12.00', '5.00–14.50'],
    ['B/16', 'L0/16', '0.50', '0.50–0.50'],
  ]);
});

test('gates show figure, verdict and margin', (t) => {
  const rows = gateRows([
    {
      workload: 'B/16',
      asks: '≥ 6 × DBOS',
      figure: 9,
      bound: { atLeast: 6 },
      verdict: 'pass',
      margin: 1.5,
    },
    {
      workload: 'D/16',
      asks: '≥ 2 500 items/s',
      figure: null,
      bound: { atLeast: 2_500 },
      verdict: 'not measured',
      margin: null,
    },
  ]);
  t.deepEqual(rows, [
    ['B/16', '≥ 6 × DBOS', '9.00', 'pass', '1.50'],
    ['D/16', '≥ 2 500 items/s', '–', 'not measured', '–'],
  ]);
});

test('Markdown keeps a bar within a cell', (t) => {
  t.is(renderMarkdown(['a', 'b'], [['1', 'x|y']]), '| a | b |\n| --- | --- |\n| 1 | x\\|y |');
});

test('only the part between the marks of a page is replaced', (t) => {
  const page = 'before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter\n';
  t.is(
    replacePart(page, 'new'),
    'before\n<!-- figures: begin -->\n\nnew\n\n<!-- figures: end -->\nafter\n',
  );
  t.throws(() => replacePart('nothing', 'new'), { message: /figures: begin/ });
});
