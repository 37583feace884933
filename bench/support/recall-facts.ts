import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { DEFAULT_TENANT } from '../../src/shared/domain/ids.ts';
import { cosine, type UnitVector } from '../../src/shared/domain/memory/vector.ts';
import { randomVector, seeded, vectorNear } from '../../test/support/vectors.ts';
import type { BenchDatabase, Dialect } from './databases.ts';
import { seedFacts } from './seed-facts.ts';

const TOPICS = 200;
const QUERIES = 64;
const CHECKED = 8;
/** The facts that a recall returns. */
export const RECALLED_FACTS = 10;

export interface SeedingOfRecalls {
  readonly dialect: Dialect;
  readonly database: Pick<BenchDatabase, 'url'>;
  readonly facts: number;
}

/** Contents of the nearest facts, for some of the queries, from a comparison with every fact. */
export type ExpectedFacts = readonly (readonly string[])[];

/** The same queries in each process: the facts, like real texts, cluster around some topics. */
export function createRecallQueries(): {
  readonly queries: readonly UnitVector[];
  readonly near: () => UnitVector;
} {
  const random = seeded(1);
  const topics = Array.from({ length: TOPICS }, () => randomVector(random));
  const near = () =>
    vectorNear(topics[Math.floor(random() * TOPICS)] ?? randomVector(random), {
      random,
      distance: 1,
    });
  return { queries: Array.from({ length: QUERIES }, near), near };
}

/**
 * Fills the tables in a process that ends before the measurement: the vectors of the comparison
 * with every fact need more memory than recalls do, and V8 would keep it.
 */
export async function seedInOtherProcess(params: SeedingOfRecalls): Promise<ExpectedFacts> {
  const program = fileURLToPath(new URL('seed-recalls-process.ts', import.meta.url));
  const { dialect, database, facts } = params;
  const args = [program, JSON.stringify({ dialect, database: { url: database.url }, facts })];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as ExpectedFacts;
}

export async function seedRecalls(params: SeedingOfRecalls): Promise<ExpectedFacts> {
  const { queries, near } = createRecallQueries();
  const checked = queries.slice(0, CHECKED).map((query) => ({
    query,
    nearest: [] as { content: string; similarity: number }[],
  }));
  function* vectors(): Generator<UnitVector> {
    for (let ordinal = 1; ordinal <= params.facts; ordinal += 1) {
      const vector = near();
      for (const check of checked) {
        check.nearest.push({
          content: `fact ${ordinal}`,
          similarity: cosine(vector, check.query),
        });
        if (check.nearest.length < 100 && ordinal < params.facts) continue;
        check.nearest
          .sort((left, right) => right.similarity - left.similarity)
          .splice(RECALLED_FACTS);
      }
      yield vector;
    }
  }
  await seedFacts({ ...params, tenantId: DEFAULT_TENANT, vectors: vectors() });
  return checked.map(({ nearest }) => nearest.map(({ content }) => content));
}
