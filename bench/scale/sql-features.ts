import { globSync, readFileSync } from 'node:fs';

import type { Experiment } from './experiment.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const MIGRATIONS = 'migrations/postgres/*.sql';
const STATEMENTS = 'src/shared/store/postgres/**/*.ts';

/** The database features that the schema and the statements need, and the files that use them. */
const FEATURES = [
  { feature: 'foreign keys', files: MIGRATIONS, pattern: /\breferences\s+\w+\s*\(/gi },
  {
    feature: 'identity columns and sequences',
    files: MIGRATIONS,
    pattern: /as identity|create sequence/gi,
  },
  { feature: 'triggers', files: MIGRATIONS, pattern: /create (?:constraint )?trigger/gi },
  { feature: 'row-level security', files: MIGRATIONS, pattern: /row level security/gi },
  { feature: 'BRIN indexes', files: MIGRATIONS, pattern: /using brin/gi },
  { feature: 'for update skip locked', files: STATEMENTS, pattern: /skip locked/gi },
  {
    feature: 'row locks that wait',
    files: STATEMENTS,
    pattern: /for (?:no key )?update(?!\s+skip)/gi,
  },
  {
    feature: 'session advisory locks',
    files: STATEMENTS,
    pattern: /pg_(?:try_)?advisory_(?:lock|unlock)/gi,
  },
  {
    feature: 'transaction advisory locks',
    files: STATEMENTS,
    pattern: /pg_(?:try_)?advisory_xact_lock/gi,
  },
  {
    feature: 'writing common table expressions',
    files: STATEMENTS,
    pattern: /as (?:materialized )?\(\s*(?:insert into|update|delete from)/gi,
  },
  { feature: 'listen and notify', files: STATEMENTS, pattern: /pg_notify|`listen /gi },
  { feature: 'pg_locks read', files: STATEMENTS, pattern: /from pg_locks/gi },
  {
    feature: 'transaction ids compared',
    files: STATEMENTS,
    pattern: /pg_snapshot_\w+|pg_current_xact_id|\bxid8\b/gi,
  },
] as const;

export const features: Experiment = {
  name: 'sql-features',
  what: 'what the schema and the statements ask of a database',
  run: async () =>
    FEATURES.map(({ feature, files, pattern }) => {
      const found = globSync(files, { cwd: ROOT })
        .map((path) => ({
          path,
          count: withoutComments(readFileSync(ROOT + path, 'utf8')).match(pattern)?.length ?? 0,
        }))
        .filter(({ count }) => count > 0);
      return {
        feature,
        uses: found.reduce((sum, { count }) => sum + count, 0),
        in: nameFiles(found.map(({ path }) => path.replace(/^.*\//, ''))),
      };
    }),
};

const NAMED_MAX = 4;

function nameFiles(names: readonly string[]): string {
  if (names.length > NAMED_MAX) return `${names.length} files`;
  return names.join(', ') || '–';
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*--.*$|^\s*\/?\*.*$|^\s*\/\/.*$/gm, '');
}
