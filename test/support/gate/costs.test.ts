import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import test from 'ava';

import { childSecondsOf, describeCosts, type FileCost, POSTGRES } from './costs.ts';

test('the time of ended children is counted without that of their parent', (t) => {
  const before = childSecondsOf(readFileSync('/proc/self/stat', 'utf8'));
  // Takes far longer than the hundredth of a second that the kernel counts in.
  const busy = 'const { user } = process.cpuUsage(); while (process.cpuUsage().user < user + 2e5);';
  t.is(spawnSync(process.execPath, ['-e', busy]).status, 0);
  const seconds = childSecondsOf(readFileSync('/proc/self/stat', 'utf8')) - before;
  t.true(seconds >= 0.19 && seconds < 30, `${seconds} s`);
});

test('brackets and spaces in the name of a program do not move the numbers', (t) => {
  const after = [...Array(50).keys()].map((at) => (at === 13 ? 1234 : at === 14 ? 66 : 1));
  t.is(childSecondsOf(`17 (a ) (b) c) ${after.join(' ')}\n`), 13);
});

function costsOf(count: number): readonly FileCost[] {
  return [...Array(count).keys()].map((at) => ({
    file: `test/${at}.test.ts`,
    wall: 2 * at,
    own: at,
    children: at === 3 ? 1000 : 0,
  }));
}

const SERVER: FileCost = { file: POSTGRES, wall: 100, own: 0, children: 15 };

test('the costliest files of a run stand first, with their children, below the sum', (t) => {
  const costs = [SERVER, ...costsOf(60), SERVER];
  const [, sum, first, second, ...others] = describeCosts(costs).split('\n');
  t.regex(sum ?? '', /60 test files: 2800 s, of which PostgreSQL took 30 s/);
  t.regex(first ?? '', /^1003\.0 s in +6\.0 s +test\/3\.test\.ts$/);
  t.regex(second ?? '', /^ +59\.0 s in 118\.0 s +test\/59\.test\.ts$/);
  t.is(others.filter(Boolean).length, 13);
});

test('a run of few files tells no costs', (t) => {
  t.is(describeCosts([...costsOf(49), SERVER]), '');
  t.is(describeCosts([]), '');
});
