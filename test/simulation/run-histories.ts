import type { SimulatedDatabase } from './database.ts';
import { runHistory, type Outcome } from './run-history.ts';
import { drawScenario, type Scenario } from './scenario.ts';

export interface Finding {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

export interface Campaign {
  readonly histories: number;
  /** The first history with a violation; it ends the campaign. */
  readonly finding: Finding | null;
  /** Sums over all histories. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Runs the seeds `firstSeed`, `firstSeed + 1`, … while `goesOn` returns true. */
export async function runHistories(params: {
  readonly database: SimulatedDatabase;
  readonly firstSeed: number;
  readonly goesOn: (histories: number) => boolean;
}): Promise<Campaign> {
  const { database, firstSeed, goesOn } = params;
  const counts = new Map<string, number>();
  const add = (name: string, by: number): void =>
    void counts.set(name, (counts.get(name) ?? 0) + by);
  let histories = 0;
  const { stackTraceLimit } = Error;
  // A simulation throws many errors, and collecting their stacks costs more than the errors.
  Error.stackTraceLimit = 0;
  try {
    while (goesOn(histories)) {
      const scenario = drawScenario(String(firstSeed + histories));
      const outcome = await runHistory(database, scenario);
      histories += 1;
      for (const [name, count] of outcome.counts) add(name, count);
      add('virtual seconds', outcome.virtualMs / 1_000);
      if (outcome.violations.length > 0)
        return { histories, finding: { scenario, outcome }, counts };
    }
    return { histories, finding: null, counts };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
