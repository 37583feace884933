import test from 'ava';

import {
  pendingMigrations,
  readMigrations,
  SchemaError,
  type Migration,
} from '../../../../src/shared/store/opening/migrations.ts';

test('both dialects have the same numbers and titles, from 1 without gaps', async (t) => {
  const [postgres, sqlite] = await Promise.all([
    readMigrations('postgres'),
    readMigrations('sqlite'),
  ]);
  const names = (migrations: readonly Migration[]) =>
    migrations.map(({ number, title }) => ({ number, title }));
  t.deepEqual(names(postgres), names(sqlite));
  t.deepEqual(
    postgres.map(({ number }) => number),
    postgres.map((_, index) => index + 1),
  );
});

test('an applied migration is not pending', (t) => {
  const known = [makeMigration(1), makeMigration(2), makeMigration(3)];
  t.deepEqual(pendingMigrations(known, []), known);
  t.deepEqual(pendingMigrations(known, known.slice(0, 2)), known.slice(2));
  t.deepEqual(pendingMigrations(known, known), []);
});

test('a database of a newer program is refused, both versions named', (t) => {
  const known = [makeMigration(1), makeMigration(2)];
  const applied = [...known, makeMigration(3), makeMigration(4)];
  const error = t.throws(() => pendingMigrations(known, applied), { instanceOf: SchemaError });
  t.regex(error?.message ?? '', /version 4.* version 2/);
});

test('a database of a newer program passes where all that came later works from here', (t) => {
  const known = [makeMigration(1), makeMigration(2)];
  const later = (worksFrom: number | null) => [
    ...known,
    { ...makeMigration(3), worksFrom: 2 },
    { ...makeMigration(4), worksFrom },
  ];
  t.deepEqual(pendingMigrations(known, later(1)), []);
  t.deepEqual(pendingMigrations(known, later(2)), []);
  for (const beyond of [3, 4, null]) {
    t.throws(() => pendingMigrations(known, later(beyond)), { instanceOf: SchemaError });
  }
});

test('a file that changed after it was applied is refused', (t) => {
  const applied = [makeMigration(1)];
  const known = [{ ...makeMigration(1), checksum: 'other' }, makeMigration(2)];
  const error = t.throws(() => pendingMigrations(known, applied), { instanceOf: SchemaError });
  t.regex(error?.message ?? '', /migration 1 \(title_1\) was changed/);
});

test('a hole in what was applied is refused', (t) => {
  const known = [makeMigration(1), makeMigration(2)];
  const error = t.throws(() => pendingMigrations(known, [makeMigration(2)]), {
    instanceOf: SchemaError,
  });
  t.regex(error?.message ?? '', /migration 1 \(title_1\) is missing/);
});

function makeMigration(number: number): Migration {
  return {
    number,
    title: `title_${number}`,
    sql: '',
    checksum: `sum-${number}`,
    worksFrom: number,
  };
}
