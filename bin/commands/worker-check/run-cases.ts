import type { Call } from './call-log.ts';
import type { Case } from './case-file.ts';
import { runCase, type CaseResult } from './run-case.ts';

export interface CheckRun {
  readonly command: readonly string[];
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onResult: (result: CaseOutcome) => void;
}

export type CaseOutcome =
  | (CaseResult & { readonly outcome: 'passed' | 'failed' })
  | { readonly of: Case; readonly outcome: 'not_applicable'; readonly lacks: readonly string[] };

/**
 * Plays the first case alone, since its claims say what the worker can do, and then the others side by
 * side. If the first case is not selected, it is played without a result.
 */
export async function runCases(
  cases: readonly Case[],
  { first, ...run }: CheckRun & { readonly first: Case },
): Promise<readonly CaseOutcome[]> {
  const probe = await runCase(first, run);
  const can = capabilitiesIn(probe.calls);
  const outcomes = new Map<string, CaseOutcome>();
  const tell = (outcome: CaseOutcome) => {
    outcomes.set(outcome.of.name, outcome);
    run.onResult(outcome);
  };
  if (cases.includes(first)) tell(withOutcome(probe));
  // A worker that cannot do the simplest work would only fill the screen.
  const isReady = probe.problems.length === 0 || !cases.includes(first);
  const rest = isReady ? cases.filter((one) => one !== first) : [];
  const waiting = [...rest];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const lacks = (next.needs ?? []).filter((need) => !can.has(need));
      if (lacks.length > 0) tell({ of: next, outcome: 'not_applicable', lacks });
      else tell(withOutcome(await runCase(next, run)));
    }
  };
  await Promise.all(Array.from({ length: run.concurrency }, lane));
  return cases.flatMap(({ name }) => outcomes.get(name) ?? []);
}

function withOutcome(result: CaseResult): CaseOutcome {
  return { ...result, outcome: result.problems.length === 0 ? 'passed' : 'failed' };
}

/** Members of claims, and the tools that they name. */
const MEMBERS = ['tools', 'claim_id', 'max_items'];

function capabilitiesIn(calls: readonly Call[]): ReadonlySet<string> {
  const claims = calls.filter(({ kind }) => kind === 'claim').map(({ body }) => body);
  const tools = claims.flatMap(({ tools }) => (Array.isArray(tools) ? (tools as unknown[]) : []));
  return new Set([
    ...MEMBERS.filter((name) => claims.some((claim) => claim[name] !== undefined)),
    ...tools.map((tool) => `tool:${String(tool)}`),
  ]);
}
