/**
 * Tests that only the gate and `--all` run, so that the others take less than eight minutes on two
 * cores. Few changes break one of these files alone. A file belongs here if it
 *
 * - kills, restarts, upgrades, floods or installs real processes,
 * - runs a command line dozens of times, or an example as its reader does,
 * - measures a cost, searches at random, or waits for a limit of time.
 *
 * A file that only takes long stays out of the list.
 */
export const GATE_ONLY: readonly string[] = [
  'test/api/cpu-attacks.test.ts',
  'test/bench/run-cell.test.ts',
  'test/bench/statement-budget.test.ts',
  'test/bin/audit.test.ts',
  'test/bin/commands/worker-check/*-workers.test.ts',
  'test/bin/dev.test.ts',
  'test/bin/eval-*.test.ts',
  'test/bin/foreign-service.test.ts',
  'test/bin/loaded-packages.test.ts',
  'test/bin/logs.test.ts',
  'test/bin/modules.test.ts',
  'test/bin/private-files.test.ts',
  'test/bin/ready-without-database.test.ts',
  'test/bin/retention.test.ts',
  'test/bin/serve*.test.ts',
  'test/bin/take-database.test.ts',
  'test/bin/token.test.ts',
  'test/chaos/chaos.test.ts',
  'test/cluster/*.test.ts',
  'test/deploy/image.test.ts',
  'test/deploy/package.test.ts',
  'test/deploy/systemd-stop.test.ts',
  'test/docs/other-languages.test.ts',
  'test/examples/**/*.test.ts',
  'test/fuzz/*.test.ts',
  'test/functions-crash/functions-crash.test.ts',
  'test/sdk/**/crashes.test.ts',
  'test/sdk/client/restarts.test.ts',
  'test/sdk/create/*.test.ts',
  'test/sdk/examples/fan-out.test.ts',
  'test/shared/engine/**/*-crashes.test.ts',
  'test/shared/engine/**/*killed.test.ts',
  'test/shared/engine/**/random-*.test.ts',
  'test/shared/engine/long-loops.test.ts',
  'test/shared/engine/memory/vector-index.test.ts',
  'test/shared/store/postgres/claim-filter-cost.test.ts',
  'test/shared/store/postgres/connection/credentials.test.ts',
  'test/shared/store/postgres/connection/failover.test.ts',
  'test/shared/store/postgres/connection/management.test.ts',
  'test/simulation/*.test.ts',
  'test/support/servers/postgres-server.test.ts',
  'test/upgrade/*.test.ts',
];

/**
 * Tests that count what a unit of work costs. They run one at a time and beside no other test:
 * on a busy machine more items wait on a queue, which costs statements and bytes of log.
 */
export const MEASURED: readonly string[] = ['test/bench/statement-budget.test.ts'];

/** Stories in a browser. They run last and beside no other test, two files at a time. */
export const STORIES: readonly string[] = ['test/console/**/*.test.ts'];

/** Applications of the Java SDK, which a command of their own builds first. */
export const COMPANION: readonly string[] = ['test/companion/**/*.test.ts'];

/** The variable with the patterns that a run of ava leaves out, one a line. */
export const LEFT_OUT = 'TEST_LEFT_OUT';

export interface AvaRun {
  readonly leftOut: readonly string[];
  readonly avaArguments: readonly string[];
  /** Whether it needs a browser; absent: a file that was named says so itself. */
  readonly isOfStories?: true;
}

const ALONE = ['--concurrency', '1'];
const IN_PAIRS = ['--concurrency', '2'];

const EVERYDAY: AvaRun = { leftOut: [...GATE_ONLY, ...STORIES, ...COMPANION], avaArguments: [] };
const BESIDE_OTHERS: AvaRun = {
  leftOut: [...MEASURED, ...STORIES, ...COMPANION],
  avaArguments: [],
};
const WITHOUT_OTHERS: readonly AvaRun[] = [
  { leftOut: [], avaArguments: [...ALONE, ...MEASURED] },
  { leftOut: [], avaArguments: [...IN_PAIRS, ...STORIES], isOfStories: true },
];

/** Without arguments of ava. The gate runs the two parts of all tests as two steps. */
const RUNS: ReadonlyMap<string, readonly AvaRun[]> = new Map([
  ['', [EVERYDAY]],
  ['--all', [BESIDE_OTHERS, ...WITHOUT_OTHERS]],
  ['--all-beside-others', [BESIDE_OTHERS]],
  ['--all-without-others', WITHOUT_OTHERS],
]);

/** The runs for arguments of `npm test --`: one of `RUNS`, or those of ava. */
export function planRuns(args: readonly string[]): readonly AvaRun[] {
  const runs = RUNS.get(args.join(' '));
  if (runs !== undefined) return runs;
  const avaArguments = args.filter((argument) => argument !== '--all');
  const namesStories = avaArguments.some((argument) => argument.startsWith('test/console'));
  const namesCompanion = avaArguments.some((argument) => argument.startsWith('test/companion'));
  const leftOut = namesCompanion ? [] : COMPANION;
  return [{ leftOut, avaArguments: [...(namesStories ? IN_PAIRS : []), ...avaArguments] }];
}
