import { readFileSync } from 'node:fs';

import test from 'ava';

import { MUTATIONS } from './mutations.ts';

/* Only the places are checked in the gate, because a search for each bug takes minutes. */
test('every bug that can be put in still has its place', (t) => {
  const gone = MUTATIONS.flatMap(({ bug, also = [], ...first }) =>
    [first, ...also]
      .filter(({ file, from }) => {
        const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
        return source.split(from).length !== 2;
      })
      .map(({ file, from }) => `${bug}: rewrite it for ${file}, which no longer contains: ${from}`),
  );
  t.deepEqual(gone, []);
});

test('every bug has a name of its own', (t) => {
  t.is(new Set(MUTATIONS.map(({ bug }) => bug)).size, MUTATIONS.length);
});

test('the table of the documentation lists every bug', (t) => {
  const page = readFileSync(
    new URL('../../docs/contribute/simulation.md', import.meta.url),
    'utf8',
  );
  const [, table = ''] = /<!-- bugs: begin -->(.*)<!-- bugs: end -->/s.exec(page) ?? [];
  const [, , ...rows] = table.trim().split('\n');
  const listed = rows.map((row) => row.split('|')[1]?.trim() ?? '');
  t.deepEqual(listed.toSorted(), MUTATIONS.map(({ bug }) => bug).toSorted());
});
