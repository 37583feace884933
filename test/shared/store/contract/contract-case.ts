import test, { type ExecutionContext } from 'ava';

import type { TestStore } from '../../../support/stores.ts';

/** Declares a case: its title is a sentence of behaviour. */
export type Check = (
  title: string,
  run: (t: ExecutionContext, database: TestStore) => Promise<void>,
) => void;

/**
 * Cases of one store run one after the other, because some readings cover all tenants. Each case
 * creates its own tenants and executions, and ignores all others.
 */
export function contractCases(name: string, open: () => TestStore): Check {
  return (title, run) => {
    test.serial(`${name}: ${title}`, (t) => run(t, open()));
  };
}
