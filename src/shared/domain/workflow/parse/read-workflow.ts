import { hashJson } from '../../canonical-json.ts';
import type { JsonObject } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import { buildPlan } from '../plan/build-plan.ts';
import { checkJson } from './check-json.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { NormalisedIr } from './normalise-ir.ts';
import { normaliseIr } from './normalise-ir.ts';
import type { Plan } from '../plan/plan.ts';
import type { Problem, Warning } from '../problem.ts';
import { ProblemList, WarningList } from '../problem.ts';

export type ReadWorkflow =
  | {
      readonly ok: true;
      /** The stored form: see `NormalisedIr`. */
      readonly ir: NormalisedIr;
      /** SHA-256, in hex, of the canonical JSON of `ir`. */
      readonly irHash: string;
      readonly plan: Plan;
      readonly warnings: readonly Warning[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a workflow definition as a client sends it. Accepts every way of writing it that
 * `docs/reference/ir.md` lists, and otherwise answers with all that is wrong, each with its place and reason.
 */
export function readWorkflow(params: {
  readonly ir: unknown;
  readonly kinds: KindRegistry;
}): ReadWorkflow {
  const { ir, kinds } = params;
  const findings = { problems: new ProblemList(), warnings: new WarningList() };
  const refuse = (): ReadWorkflow => ({ ok: false, problems: findings.problems.toArray() });
  if (!isObject(ir)) {
    const isMissing = ir === undefined || ir === null;
    findings.problems.add('', isMissing ? 'missing ir.workflow_id' : 'ir must be an object');
    return refuse();
  }
  if (!checkJson(ir, findings.problems)) return refuse();
  const normalised = normaliseIr({ ir, kinds, findings });
  if (normalised === null) return refuse();
  const plan = buildPlan(normalised, findings);
  if (plan === null) return refuse();
  return {
    ok: true,
    ir: normalised.ir,
    irHash: hashJson(normalised.ir),
    plan,
    warnings: findings.warnings.toArray(),
  };
}

/** Type guard for `unknown`, before anything is known to be JSON. */
function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value);
}
