import { execFileSync } from 'node:child_process';
import test from 'ava';

import { helpText, readOptions } from '../../../bench/support/options.ts';

test('the help names every option, and nothing is measured', (t) => {
  const program = new URL('../../../bench/bench.ts', import.meta.url).pathname;
  const said = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  t.is(said, `${helpText()}\n`);
  for (const option of ['--peers ', '--rounds <value> ', '--only <value> ', '--save ', '--help ']) {
    t.true(said.includes(option), option);
  }
});

test('options have their defaults, and an unknown one is refused', (t) => {
  t.like(readOptions(['--only', 'B/16', '--json']), { only: 'B/16', json: true, minutes: '5' });
  t.throws(() => readOptions(['--everything']), { message: /everything/ });
});
