import test from 'ava';
import type pg from 'pg';

import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { connectRaw } from './raw-client.ts';

/*
 * Rules for every function of the schema, present and future. A caller with temporary tables could
 * otherwise make a function read them, or run their triggers, with the rights of the owner.
 */

const FIXED_PATH = 'search_path=public, pg_temp';

interface FunctionRecord {
  readonly name: string;
  readonly body: string;
  readonly is_definer: boolean;
  readonly is_trigger: boolean;
  readonly settings: readonly string[] | null;
}

let database: TestDatabase;
let client: pg.Client;
let functions: readonly FunctionRecord[];

test.before(async () => {
  database = await createTestDatabase();
  client = await connectRaw(database.url);
  const { rows } = await client.query<FunctionRecord>(
    `select p.proname::text as name, p.prosrc as body, p.prosecdef as is_definer,
       p.prorettype = 'trigger'::regtype as is_trigger, p.proconfig as settings
     from pg_proc p
     where p.pronamespace = 'public'::regnamespace
     order by 1`,
  );
  functions = rows;
});

test.after.always(async () => {
  await client.end();
  await database.drop();
});

test('functions with the rights of the owner, and triggers, search temporary schemas last', (t) => {
  const bound = functions.filter(({ is_definer, is_trigger }) => is_definer || is_trigger);
  t.true(bound.length >= 12);
  const others = bound.filter(({ settings }) => settings?.includes(FIXED_PATH) !== true);
  t.deepEqual(
    others.map(({ name, settings }) => `${name}: ${settings?.join() ?? 'no search path'}`),
    [],
  );
});

test('a function that fixes a search path fixes this one', (t) => {
  const fixed = functions.flatMap(({ name, settings }) =>
    (settings ?? []).flatMap((setting) =>
      setting.startsWith('search_path=') && setting !== FIXED_PATH ? [`${name}: ${setting}`] : [],
    ),
  );
  t.deepEqual(fixed, []);
});

test('bodies name the schema of every table, sequence and function', async (t) => {
  const { rows } = await client.query<{ readonly name: string }>(
    `select c.relname::text as name
     from pg_class c
     where c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p', 'v', 'm', 'S')`,
  );
  const relations = [
    ...rows.map(({ name }) => name),
    'events_before',
    'events_other',
    '%\\d?\\$?I',
  ];
  const called = functions.map(({ name }) => name).join('|');
  const named = relations.join('|');
  const unqualified = new RegExp(
    [
      `\\b(?:from|join|into|update|using|table|index|only|like|on|partition|truncate) (?:if exists )?(?:${named})(?![\\w(.])`,
      `'(?:${named})'::regclass`,
      `(?:to_regclass|nextval|setval|pg_\\w+|has_table_privilege)\\((?:\\w+, )?'(?:${named})'`,
      `(?<![\\w.])(?:${called})\\(`,
    ].join('|'),
    'g',
  );
  const found = functions.flatMap(({ name, body }) =>
    (body.replaceAll(/--.*$|raise exception '.*?'/gm, '').match(unqualified) ?? []).map(
      (part) => `${name}: ${part}`,
    ),
  );
  t.deepEqual(found, []);
});

test('the owner of the tables owns the functions, and nobody else may replace one', async (t) => {
  const { rows } = await client.query(
    `select p.proname
     from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and p.proowner <> (select c.relowner from pg_class c where c.oid = 'public.executions'::regclass)`,
  );
  t.deepEqual(rows, []);
});
