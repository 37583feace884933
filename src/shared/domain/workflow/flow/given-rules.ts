import type { JsonObject, JsonValue } from '../../json.ts';
import { parseBatch } from '../parse/parse-batch.ts';
import { checkConcurrencyMembers, parseConcurrency } from '../parse/parse-concurrency.ts';
import { parseDebounce } from '../parse/parse-debounce.ts';
import { parseFairness } from '../parse/parse-fairness.ts';
import { parseStartRate } from '../parse/parse-start-rate.ts';
import type { Plan } from '../plan/plan.ts';
import { type Findings, type Problem, ProblemList, WarningList } from '../problem.ts';
import type { Fairness } from './fairness.ts';
import { type BeginningKind, RULE_KINDS, type RuleKind } from './rule-kinds.ts';

/*
 * Rules of flow control that a start brings. They are written as in a definition, and the same parsers read
 * them. A start brings a rule only where its definition has none of that kind.
 */

/** As the start writes them. */
export type GivenRules = Readonly<Partial<Record<RuleKind, JsonValue>>>;

/** The rules by which an execution begins; `given`: the kinds that its start brought. */
export type FlowRules = Pick<Plan, 'workflowId' | BeginningKind> & {
  readonly given?: ReadonlySet<RuleKind>;
};

/** Kinds of rules that both the definition and the start have. */
export function rulesInBoth(ir: JsonObject, given: GivenRules): readonly RuleKind[] {
  return kindsOf(given).filter((kind) => (ir[kind] ?? null) !== null);
}

export type JoinedRules =
  | { readonly ok: true; readonly rules: FlowRules }
  | { readonly ok: false; readonly message: string };

/** The rules of the definition `ir`, and those of the start for the kinds that it has none of. */
export function joinRules(ir: JsonObject, given: GivenRules, plan: FlowRules): JoinedRules {
  const findings = newFindings();
  const { problems } = findings;
  const own = new Set(kindsOf(given).filter((kind) => (ir[kind] ?? null) === null));
  const written = Object.fromEntries(
    RULE_KINDS.map((kind) => [kind, (own.has(kind) ? given[kind] : ir[kind]) ?? null]),
  );
  // All of them, because a parser also reports what cannot stand beside its rule.
  const rules = {
    concurrency: parseConcurrency(written, findings),
    rate: parseStartRate(written, findings),
    debounce: parseDebounce(written, findings),
    batch: parseBatch(written, findings),
  };
  if (own.has('concurrency')) checkConcurrencyMembers(written, problems);
  if (own.has('fairness')) parseFairness(written, findings);
  if (problems.count === 0) {
    return { ok: true, rules: { workflowId: plan.workflowId, ...rules, given: own } };
  }
  return { ok: false, message: problems.toArray().map(tellProblem).join('; ') };
}

/** The rule by which the items of an execution take turns; `isGiven`: its start brought it. Null: none. */
export function fairnessOf(
  { fairness }: Pick<Plan, 'fairness'>,
  given: GivenRules | null,
): { readonly rule: Fairness; readonly isGiven: boolean } | null {
  if (fairness !== null) return { rule: fairness, isGiven: false };
  const written = given?.fairness ?? null;
  if (written === null) return null;
  const rule = parseFairness({ fairness: written }, newFindings());
  return rule && { rule, isGiven: true };
}

function newFindings(): Findings {
  return { problems: new ProblemList(), warnings: new WarningList() };
}

function tellProblem({ pointer, message }: Problem): string {
  // A caller knows the value of the key, and may have written it alone.
  const hint = pointer.endsWith('/key') ? ` (put text that is a constant in quotes: "'acme'")` : '';
  return `${pointer.slice(1).replaceAll('/', '.')} ${message}${hint}`;
}

function kindsOf(given: GivenRules): readonly RuleKind[] {
  return RULE_KINDS.filter((kind) => (given[kind] ?? null) !== null);
}
