import test from 'ava';

import { runLimited } from './run-limited.ts';

const here = { cwd: process.cwd(), stuckMs: 60_000 };

test('a program that does not end is ended by its time on processors', async (t) => {
  const { ended, cpuSeconds } = await runLimited([process.execPath, '-e', 'for (;;);'], {
    ...here,
    cpuSecondsMax: 1,
  });
  t.is(ended, 'late');
  t.true(cpuSeconds > 0.5, `${cpuSeconds} s`);
});

test('time that a program does not use does not count', async (t) => {
  const program = 'setTimeout(() => console.log("done"), 2_000)';
  const ran = await runLimited([process.execPath, '-e', program], { ...here, cpuSecondsMax: 2 });
  t.is(ran.ended, 'passed');
  t.regex(ran.output, /^done$/m);
  t.true(ran.cpuSeconds < 2, `${ran.cpuSeconds} s`);
});

test('a program that waits for ever is stuck, and ends with all its processes', async (t) => {
  const program = `
    require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], {
      stdio: 'inherit',
    });`;
  // The output stays open as long as one of them runs.
  const { ended } = await runLimited([process.execPath, '-e', program], {
    ...here,
    stuckMs: 500,
    cpuSecondsMax: 10,
  });
  t.is(ended, 'stuck');
});

test('a program that fails has failed, with its output', async (t) => {
  const program = 'console.log("it broke"); process.exitCode = 3';
  const ran = await runLimited([process.execPath, '-e', program], { ...here, cpuSecondsMax: 10 });
  t.is(ran.ended, 'failed');
  t.regex(ran.output, /it broke/);
});
