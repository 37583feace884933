import { globSync, readFileSync } from 'node:fs';

import test from 'ava';

import { readPage, ROOT } from '../../docs/support/pages.ts';

const GUIDE = 'docs/guides/durable-functions.md';
const WORKERS = 'docs/guides/workers.md';

test('each block of TypeScript in the guide is code of an example that compiles', (t) => {
  const sources = globSync('examples/typescript/**/*.ts', { cwd: ROOT }).map((path) =>
    withoutIndent(readFileSync(ROOT + path, 'utf8')),
  );
  const blocks = readPage(GUIDE, readFileSync(ROOT + GUIDE, 'utf8')).blocks.filter(
    ({ language }) => language === 'ts',
  );
  t.true(blocks.length >= 8);
  for (const { text, at } of blocks) {
    t.true(
      sources.some((source) => source.includes(withoutIndent(text))),
      at,
    );
  }
});

test('the worker of the guide to workers is an example that compiles', (t) => {
  const example = readFileSync(`${ROOT}examples/typescript/tools/square-worker.ts`, 'utf8');
  t.true(readFileSync(ROOT + WORKERS, 'utf8').includes(example.trim()));
});

function withoutIndent(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
