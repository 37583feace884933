import { readFileSync } from 'node:fs';
import test from 'ava';

import { readPage } from '../../docs/support/pages.ts';
import { approveAfterDelivery, runWithoutTheBank } from './guide.ts';

const PAGE = 'docs/guides/testing.md';
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const blocks = readPage(PAGE, read(PAGE)).blocks.filter(({ language }) => language === 'ts');

test('the compiler checks every block of TypeScript on the page', (t) => {
  const checked =
    read('test/sdk/testing/guide.ts') + read('sdk/create/template/test/order.test.ts');
  t.true(blocks.length >= 5);
  for (const { text, at } of blocks) t.true(checked.includes(text), at);
});

test('the programs of the page that need nothing else run', async (t) => {
  await t.notThrowsAsync(approveAfterDelivery());
  await t.notThrowsAsync(runWithoutTheBank());
});
