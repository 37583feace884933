import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';

import { CASE_FILE, type Rule } from '../../../../bin/commands/worker-check/case-file.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, docs), 'utf8');

test('the cases fit their schema', (t) => {
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(read('worker-cases.schema.json')),
  );
  validate(JSON.parse(read('worker-cases.json')));
  t.deepEqual(validate.errors, null);
});

test('each rule is a section of a page', (t) => {
  const rules: readonly Rule[] = [...CASE_FILE.always, ...CASE_FILE.cases];
  const missing = rules.filter(({ see }) => {
    const [page = '', anchor = ''] = see.split('#');
    return !anchorsOf(read(`reference/${page}`)).includes(anchor);
  });
  t.deepEqual(missing, []);
});

test('cases have names of their own, and items that they name', (t) => {
  const names = CASE_FILE.cases.map(({ name }) => name);
  t.is(new Set(names).size, names.length);
  for (const { name, items, ...rest } of CASE_FILE.cases) {
    const known = new Set(items.map((item) => item.name));
    const named = [...JSON.stringify(rest).matchAll(/"(?:item|leased)":"(\w+)"/g)];
    t.deepEqual(
      named.map(([, item = '']) => item).filter((item) => !known.has(item)),
      [],
      name,
    );
  }
});

function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^##+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
