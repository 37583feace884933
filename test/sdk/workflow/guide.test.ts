import { readFileSync } from 'node:fs';
import test from 'ava';

import { refund } from '../../../examples/typescript/refund.ts';
import { inspectWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../src/shared/nodes/index.ts';
import { readPage } from '../../docs/support/pages.ts';
import * as guide from './guide.ts';

const PAGE = 'docs/guides/typescript-workflows.md';
const page = readPage(PAGE, readFileSync(new URL(`../../../${PAGE}`, import.meta.url), 'utf8'));
const checked = readFileSync(new URL('guide.ts', import.meta.url), 'utf8');
const blocks = page.blocks.filter(({ language }) => language === 'ts');

test('the compiler checks every block of TypeScript on the page', (t) => {
  t.true(blocks.length >= 5);
  for (const { text, at } of blocks) t.true(checked.includes(text), at);
});

const programs = { ...guide, refund };

for (const [name, workflow] of Object.entries(programs)) {
  test(`the runtime accepts ${name}`, (t) => {
    const ir = workflow.toIR();
    const read = inspectWorkflow({ ir, kinds: builtInKinds });
    t.deepEqual(read.ok ? [] : read.problems, []);
  });
}
