/**
 * Tests that only the gate runs: 169 of 6741 took a third of the time. They kill, upgrade, flood or
 * install real processes, or search at random, so few changes break them alone.
 */
export const GATE_ONLY: readonly string[] = [
  'test/bench/statement-budget.test.ts',
  'test/bin/eval-in-process.test.ts',
  'test/bin/ready-without-database.test.ts',
  'test/bin/serve.test.ts',
  'test/bin/take-database.test.ts',
  'test/chaos/chaos.test.ts',
  'test/cluster/*.test.ts',
  'test/deploy/image.test.ts',
  'test/deploy/package.test.ts',
  'test/deploy/systemd-stop.test.ts',
  'test/examples/*.test.ts',
  'test/fuzz/*.test.ts',
  'test/functions-crash/functions-crash.test.ts',
  'test/sdk/create/*.test.ts',
  'test/shared/engine/**/*killed.test.ts',
  'test/shared/engine/**/random-*.test.ts',
  'test/simulation/*.test.ts',
  'test/upgrade/*.test.ts',
];

/** Set for a run without the tests of the gate. */
export const WITHOUT_GATE_ONLY = 'TEST_WITHOUT_GATE_ONLY';

/** Arguments of `npm test --`: `--all`, or else those of ava, where none means the everyday tests. */
export function readArguments(args: readonly string[]): {
  readonly leavesOut: boolean;
  readonly avaArguments: readonly string[];
} {
  const avaArguments = args.filter((argument) => argument !== '--all');
  return { leavesOut: args.length === 0, avaArguments };
}
