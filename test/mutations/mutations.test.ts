import { readFileSync } from 'node:fs';

import test from 'ava';

import { MUTATIONS } from './mutations.ts';

/* Looked at in the gate, since the bugs themselves take minutes. */
test('every bug that can be put in still has its place', (t) => {
  const gone = MUTATIONS.flatMap(({ bug, also = [], ...first }) =>
    [first, ...also]
      .filter(({ file, from }) => {
        const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
        return source.split(from).length !== 2;
      })
      .map(({ file, from }) => `${bug}: put it in anew in ${file}, where this was: ${from}`),
  );
  t.deepEqual(gone, []);
});

test('every bug has a name of its own', (t) => {
  t.is(new Set(MUTATIONS.map(({ bug }) => bug)).size, MUTATIONS.length);
});
