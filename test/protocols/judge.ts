import type { LegTotals } from './leg.ts';

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

/**
 * Checks that are expected to fail, with the reason: an error of the kit, or a feature that svc
 * leaves out.
 */
export type ExpectedFailures = Readonly<Record<string, string>>;

/**
 * Counts the results of a kit. An expected failure counts neither way, and is printed with its
 * reason. If an expected failure passes, it counts as a failure, so that the list stays short and
 * correct.
 */
export function judge(params: {
  readonly results: readonly CheckResult[];
  readonly expected: ExpectedFailures;
  readonly write: (text: string) => void;
}): LegTotals {
  const { results, expected, write } = params;
  let passed = 0;
  let failed = 0;
  for (const { name, passed: isPassed } of results) {
    const reason = Object.hasOwn(expected, name) ? expected[name] : undefined;
    if (isPassed && reason === undefined) passed += 1;
    else if (isPassed) {
      failed += 1;
      write(`passed, though it is listed as an expected failure: ${name}\n`);
    } else if (reason === undefined) {
      failed += 1;
      write(`failed: ${name}\n`);
    } else {
      write(`expected failure: ${name}\n  ${reason}\n`);
    }
  }
  if (results.length === 0) throw new Error('the kit has checked nothing');
  return { passed, failed };
}
