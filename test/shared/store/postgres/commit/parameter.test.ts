import test from 'ava';
import type pg from 'pg';

import {
  arrayParameter,
  type Cell,
} from '../../../../../src/shared/store/postgres/commit/parameter.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/database.ts';
import { connectRaw } from '../raw-client.ts';

let database: TestDatabase;
let client: pg.Client;

test.before(async () => {
  database = await createTestDatabase();
  client = await connectRaw(database.url);
});

test.after.always(async () => {
  await client.end();
  await database.drop();
});

const ARRAYS: Readonly<Record<string, readonly Cell[]>> = {
  text: [
    '',
    'plain',
    'a "quoted" \\ one, {with} all',
    'größer',
    '汉字 🎉',
    null,
    'NULL',
    'x'.repeat(200_000),
  ],
  json: ['{"a":"ü"}', '[]', null, `"${'long '.repeat(1_000)}"`],
  int2: [0, 63, -1, 32_767, null],
  int4: [0, 1, -1, 2_147_483_647, null],
  int8: [0, 1, -1, 4_294_967_296, -4_294_967_297, Number.MAX_SAFE_INTEGER, null],
  uuid: ['01a1ff8b-ce42-7344-bc8d-39776865945e', 'FFFFFFFF-0000-4000-8000-00000000000a', null],
  float8: [0.5, null],
  bool: [true, false, null],
  timestamptz: ['2026-01-02T03:04:05.678Z', null],
};

for (const [type, values] of Object.entries(ARRAYS)) {
  for (const given of [values, values.filter((value) => value !== null), []]) {
    test.serial(`${given.length} values of ${type} arrive as they were sent`, async (t) => {
      const { rows } = await client.query<{ readonly same: boolean; readonly length: number }>(
        `select cardinality($1::${type}[]) as length,
           not exists (
             select
             from unnest($1::${type}[]) with ordinality a (value, position)
             full join unnest($2::text[]) with ordinality b (value, position) using (position)
             where a.value::text is distinct from b.value::${type}::text
           ) as same`,
        [
          arrayParameter(type, given),
          given.map((value) => (value === null ? null : String(value))),
        ],
      );
      t.deepEqual(rows, [{ length: given.length, same: true }]);
    });
  }
}

test('an invalid UUID is refused before it is sent', (t) => {
  for (const wrong of [
    '',
    'abc',
    '01a1ff8b-ce42-7344-bc8d-39776865945',
    'g'.repeat(32),
    'é'.repeat(32),
    '0'.repeat(33),
  ]) {
    t.throws(() => arrayParameter('uuid', [wrong]), { instanceOf: TypeError });
  }
});

test('a parameter is not changed by the ones that are made after it', (t) => {
  const first = arrayParameter('text', ['first']);
  const copy = Buffer.from(first as Buffer);
  arrayParameter('text', ['second', 'x'.repeat(100_000)]);
  t.deepEqual(first, copy);
});
