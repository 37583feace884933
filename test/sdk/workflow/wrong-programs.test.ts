import { readFileSync } from 'node:fs';
import test from 'ava';

const program = readFileSync(new URL('wrong-programs.ts', import.meta.url), 'utf8');
const reasons = [...program.matchAll(/^\s*\/\/ @ts-expect-error -- (.+)$/gm)].map(([, why]) => why);

test('the compiler refuses many wrong programs, each for a reason of its own', (t) => {
  t.true(reasons.length >= 50, `${reasons.length}`);
  t.is(new Set(reasons).size, reasons.length);
});

test('every group of wrong programs has right neighbours', (t) => {
  for (const [, name, body = ''] of program.matchAll(/^export const (\w+) = \[\n(.*?)^\];/gms)) {
    const lines = body.split('\n');
    const wrong = lines.filter((line) => line.includes('@ts-expect-error')).length;
    const all = lines.filter((line) => /^ {2}(two|base|workflow)\b/.test(line)).length;
    t.true(all > wrong, name);
  }
});
