import { readFileSync, readdirSync } from 'node:fs';
import test from 'ava';
import { NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import { lines, read } from './read.ts';

const folder = new URL('../../../../examples/workflows/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const load = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

for (const file of files) {
  test(`examples/workflows/${file} is accepted without a warning`, (t) => {
    const result = read(load(file));
    t.deepEqual(result.ok ? lines(result.warnings) : lines(result.problems), []);
  });
}

test('there is an example of every kind', (t) => {
  for (const { type } of NODE_KINDS) t.true(files.includes(`${type.replace('_', '-')}.json`), type);
});

const page = readFileSync(new URL('../../../../docs/reference/ir.md', import.meta.url), 'utf8');

for (const [, example = ''] of page.matchAll(/^```json\n(.*?)^```$/gms)) {
  const ir = JSON.parse(example) as { workflow_id: string };
  test(`docs/reference/ir.md: ${ir.workflow_id} is accepted without a warning`, (t) => {
    const result = read(ir);
    t.deepEqual(result.ok ? lines(result.warnings) : lines(result.problems), []);
  });
}

test('docs/reference/ir.md has a part on every kind', (t) => {
  for (const { type } of NODE_KINDS) t.regex(page, new RegExp(`^### ${type}\\b`, 'm'));
});
