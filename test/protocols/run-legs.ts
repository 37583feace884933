import type { Leg, LegTotals } from './leg.ts';

/** Runs the legs one after another, and sums up their results. */
export async function runLegs(
  legs: readonly Leg[],
  write: (text: string) => void,
): Promise<LegTotals> {
  let passed = 0;
  let failed = 0;
  for (const leg of legs) {
    write(`=== ${leg.name}\n`);
    const totals = await runLeg(leg, write);
    write(`=== ${leg.name}: ${totals.passed} passed, ${totals.failed} failed\n`);
    passed += totals.passed;
    failed += totals.failed;
  }
  return { passed, failed };
}

/** A leg that throws counts as a failure, and the others still run. */
async function runLeg(leg: Leg, write: (text: string) => void): Promise<LegTotals> {
  try {
    return await leg.run();
  } catch (error) {
    write(`${leg.name} could not run: ${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1 };
  }
}
