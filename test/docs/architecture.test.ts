import { readFileSync } from 'node:fs';
import test from 'ava';

import { ROOT } from './support/pages.ts';

/* The operator's guide describes the table of the migrations. */
const ELSEWHERE = new Set(['schema_migrations']);

test('the list of tables has every table', (t) => {
  const page = readFileSync(`${ROOT}ARCHITECTURE.md`, 'utf8');
  const listed = new Set(
    page
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)])
      .map(([, name]) => name),
  );
  const schema = readFileSync(`${ROOT}test/shared/store/schema/postgres.sql`, 'utf8');
  const tables = [...schema.matchAll(/^create table public\.(\w+)/gm)].map(([, name]) => name);
  t.true(tables.length > 40);
  t.deepEqual(
    tables.filter((name) => name !== undefined && !listed.has(name) && !ELSEWHERE.has(name)),
    [],
  );
});
