import { globSync, readFileSync } from 'node:fs';

import test from 'ava';

import { readPage, ROOT } from '../../docs/support/pages.ts';

const GUIDE = 'docs/guides/ai-sdk.md';
const SOURCES = ['examples/typescript/*.ts', 'test/sdk/ai/guide.ts'];

test('each block of TypeScript in the guide is code that compiles', (t) => {
  const sources = globSync(SOURCES, { cwd: ROOT }).map((path) =>
    withoutIndent(readFileSync(ROOT + path, 'utf8')),
  );
  const blocks = readPage(GUIDE, readFileSync(ROOT + GUIDE, 'utf8')).blocks.filter(
    ({ language }) => language === 'ts',
  );
  t.is(blocks.length, 7);
  for (const { text, at } of blocks) {
    t.true(
      sources.some((source) => source.includes(withoutIndent(text))),
      at,
    );
  }
});

function withoutIndent(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
