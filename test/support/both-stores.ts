import test, { type ExecutionContext } from 'ava';

import { createTestDatabase, type Dialect, type TestDatabase } from './database.ts';
import { startRuntime, type Runtime } from './runtime.ts';
import type { TestTenant } from './tenant.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const START_MS_MAX = 90_000;

interface Scenario {
  /** Both stores must give the same result. */
  (t: ExecutionContext, tenant: TestTenant, place: Place): Promise<unknown>;
}

export interface Place {
  readonly runtime: Runtime;
  readonly database: TestDatabase;
  readonly dialect: Dialect;
}

/**
 * Runs scenarios against the real service, once on each store. The tests of a file share one
 * runtime per store, and each has its own tenant there. At the end the runtimes must stop in order,
 * and must not have logged an error.
 */
export function onBothStores(
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): (title: string, scenario: Scenario) => void {
  const places = new Map<Dialect, Place>();
  for (const dialect of DIALECTS) {
    test.before(`start (${dialect})`, async (t) => {
      t.timeout(START_MS_MAX);
      const database = await createTestDatabase(dialect);
      try {
        const runtime = await startRuntime({ databaseUrl: database.url, ...options });
        places.set(dialect, { runtime, database, dialect });
      } catch (error) {
        await database.drop();
        throw error;
      }
    });
    test.after.always(`stop (${dialect})`, async (t) => {
      const place = places.get(dialect);
      if (place === undefined) return;
      const code = await place.runtime.end('SIGTERM');
      await place.database.drop();
      t.deepEqual(place.runtime.errors(), []);
      t.is(code, 0);
    });
  }
  return (title, scenario) => {
    const results = new Map<Dialect, unknown>();
    for (const dialect of DIALECTS) {
      test(`${title} (${dialect})`, async (t) => {
        const place = places.get(dialect);
        if (place === undefined) throw new Error(`the runtime on ${dialect} did not start`);
        const result = await scenario(t, await place.runtime.newTenant(), place);
        results.set(dialect, result);
        for (const other of results.values()) t.deepEqual(result, other);
      });
    }
  };
}
