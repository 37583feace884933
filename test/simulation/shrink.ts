import type { SimulatedDatabase } from './database.ts';
import type { FaultKind } from './faults.ts';
import { runHistory, type Outcome } from './run-history.ts';
import type { Finding } from './run-histories.ts';
import { ROOMY, type Scenario } from './scenario.ts';

/** The most runs that shrinking one finding may take. */
const RUNS_MAX = 400;

/**
 * Finds a small history that still violates the rule: greedily removes one part of the scenario
 * after the other, as long as the violation stays.
 */
export async function shrink(database: SimulatedDatabase, found: Finding): Promise<Finding> {
  const rule = found.outcome.violations[0]?.rule;
  let smallest = found;
  let runs = 0;

  async function stillFails(scenario: Scenario): Promise<Outcome | null> {
    runs += 1;
    const outcome = await runHistory(database, scenario);
    return outcome.violations[0]?.rule === rule ? outcome : null;
  }

  for (let progress = true; progress && runs < RUNS_MAX;) {
    progress = false;
    for (const simpler of simplerThan(smallest)) {
      if (runs >= RUNS_MAX) break;
      const outcome = await stillFails(simpler);
      if (outcome === null) continue;
      smallest = { scenario: simpler, outcome };
      progress = true;
      break;
    }
  }
  return smallest;
}

/** Scenarios with one part less, the largest parts first. */
function* simplerThan({ scenario, outcome }: Finding): Iterable<Scenario> {
  const { starts, workers, roles, rates, spared } = scenario;
  for (const kind of Object.keys(rates) as FaultKind[]) {
    if (rates[kind] !== 0) yield { ...scenario, rates: { ...rates, [kind]: 0 } };
  }
  const { switches } = scenario;
  for (const index of switches.keys()) {
    yield { ...scenario, switches: switches.toSpliced(index, 1) };
  }
  const { retention } = scenario;
  if (retention !== null) yield { ...scenario, retention: null };
  if (retention?.archives === true) {
    yield { ...scenario, retention: { ...retention, archives: false, restores: false } };
  }
  if (scenario.queuesStarts) yield { ...scenario, queuesStarts: false };
  if (scenario.underWayMax < ROOMY) yield { ...scenario, underWayMax: ROOMY };
  for (const index of starts.keys()) yield { ...scenario, starts: starts.toSpliced(index, 1) };
  const { functionWorkers } = scenario;
  for (const index of functionWorkers.keys()) {
    yield { ...scenario, functionWorkers: functionWorkers.toSpliced(index, 1) };
  }
  for (const index of workers.keys()) yield { ...scenario, workers: workers.toSpliced(index, 1) };
  if (roles.length > 1)
    yield { ...scenario, roles: ['all', 'all'].slice(0, roles.length - 1) as [] };
  for (const [index, start] of starts.entries()) {
    if (start.paused !== null) {
      yield { ...scenario, starts: starts.with(index, { ...start, paused: null }) };
    }
    if (start.retries > 0) {
      yield { ...scenario, starts: starts.with(index, { ...start, retries: 0 }) };
      if (start.moves > 0)
        yield { ...scenario, starts: starts.with(index, { ...start, moves: 0 }) };
    }
    if (start.forks > 0) {
      yield { ...scenario, starts: starts.with(index, { ...start, forks: start.forks - 1 }) };
    }
    if (start.imports > 0) {
      yield { ...scenario, starts: starts.with(index, { ...start, imports: start.imports - 1 }) };
    }
    if (start.cancelAfterMs === null) continue;
    yield { ...scenario, starts: starts.with(index, { ...start, cancelAfterMs: null }) };
  }
  for (let fault = 0; fault < outcome.faultsDrawn; fault += 1) {
    if (!spared.has(fault)) yield { ...scenario, spared: new Set([...spared, fault]) };
  }
}
