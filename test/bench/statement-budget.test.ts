import pg from 'pg';
import test from 'ava';

import { openEngine } from '../../bench/support/engine-process.ts';
import { inLanes, times } from '../../bench/support/lanes.ts';
import { chainOf, fanOf } from '../../bench/support/noop-kind.ts';
import { createTestDatabase } from '../support/database.ts';

/*
 * What a step may cost the database. Rates change with the machine; these counters hardly do, so a
 * change that makes the engine chattier fails here.
 */

const IN_FLIGHT = 16;
const EXECUTIONS = 320;

const sent = { statements: 0, commits: 0 };

test.before(() => {
  // Every statement of the store goes through here, whoever sends it.
  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const original = Reflect.get(pg.Client.prototype, 'query') as Query;
  pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]): unknown {
    sent.statements += 1;
    const [config] = args as [{ readonly name?: string } | string];
    if (typeof config === 'object' && config.name?.startsWith('commit') === true) {
      sent.commits += 1;
    }
    return original.call(this, ...args);
  } as typeof pg.Client.prototype.query;
});

const SHAPES = [
  { name: 'a chain of ten', graph: chainOf(10, 'noop'), steps: 10, statements: 0.3, commits: 0.15 },
  { name: 'a fan of fifty', graph: fanOf(50, 'noop'), steps: 50, statements: 0.3, commits: 0.15 },
  { name: 'one step', graph: chainOf(1, 'noop'), steps: 1, statements: 0.8, commits: 0.4 },
] as const;

for (const { name, graph, steps, statements, commits } of SHAPES) {
  test.serial(
    `${name}, ${IN_FLIGHT} in flight: at most ${statements} statements a step`,
    async (t) => {
      const database = await createTestDatabase('postgres');
      const engine = await openEngine({ database: { dialect: 'postgres', url: database.url } });
      t.teardown(async () => {
        await engine.close();
        await database.drop();
      });
      await engine.register('budget', graph);
      engine.startScheduler();
      await inLanes(IN_FLIGHT, times(IN_FLIGHT * 2), () => engine.run('budget'));
      const before = { ...sent };
      const runs = Math.ceil(EXECUTIONS / steps) * 4;
      await inLanes(IN_FLIGHT, times(runs), () => engine.run('budget'));
      const per = (count: number) => count / (runs * steps);
      const used = {
        statements: per(sent.statements - before.statements),
        commits: per(sent.commits - before.commits),
      };
      t.log(used);
      t.true(used.statements <= statements, `${used.statements} statements a step`);
      t.true(used.commits <= commits, `${used.commits} commits a step`);
      t.true(used.commits > 0);
    },
  );
}
