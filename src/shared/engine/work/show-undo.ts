import { dataPolicyOf, type DataPolicy } from '../../domain/data-policy/data-policy.ts';
import { type Pseudonym, redact, redactObject } from '../../domain/data-policy/redact.ts';
import type { LiveVisit } from '../../domain/execution/state.ts';
import type { Undoing } from '../../domain/execution/undo/undo-state.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import type { EngineDeps } from '../deps.ts';

/** The step and the values of an undo, as far as its readers may see them. */
export interface ShownUndoing extends Pick<Undoing, 'nodeId' | 'visit'> {
  /** Null also where `omitted` names it. */
  readonly input: JsonValue;
  /** The output of the visit that it is to undo; null as `input`. */
  readonly output: JsonValue;
  /** Values that a data policy hides, or that are too large for a list. */
  readonly omitted: readonly ('input' | 'output')[];
}

/** Characters of a value as JSON. */
const SHOWN_CHARS_MAX = 4_096;

/**
 * The input quotes the output of the step. So the data policies of both nodes apply to it, and it is
 * hidden where the step keeps its output back.
 */
export async function showUndoing(
  deps: EngineDeps,
  given: {
    readonly tenantId: TenantId;
    readonly plan: Plan;
    readonly visit: LiveVisit & { readonly undoes: Undoing };
    /** For a reading of it alone: parts that are kept elsewhere are restored, and none is too large. */
    readonly isWhole: boolean;
  },
): Promise<ShownUndoing> {
  const { tenantId, plan, visit, isWhole } = given;
  const { nodeId, visit: number } = visit.undoes;
  const item = visit.workItemId && (await deps.store.work.find(visit.workItemId, tenantId));
  const of = { plan, nodeId, pseudonym: deps.pseudonym };
  const kept = [visit.scope.output, item?.record.payload['input'] ?? null] as const;
  const [rawOutput, rawInput] = isWhole
    ? await resolveReferences(deps.store.artifacts, { tenantId, values: kept })
    : kept;
  const output = showOutput(rawOutput, of);
  const own = policyOf(plan, visit.nodeId);
  const isHidden = [own, policyOf(plan, nodeId)].some((policy) => policy?.retainOutputs === false);
  const raw = isHidden || item === null ? undefined : rawInput;
  const input =
    raw === undefined
      ? undefined
      : [policyOf(plan, nodeId), own].reduce<JsonValue>(
          (value, policy) => (policy === null ? value : redact(value, policy, deps.pseudonym)),
          raw,
        );
  const isShown = (value: JsonValue | undefined): value is JsonValue =>
    value !== undefined && (isWhole || JSON.stringify(value).length <= SHOWN_CHARS_MAX);
  const omitted = [
    ...(isShown(input) ? [] : (['input'] as const)),
    ...(isShown(output) ? [] : (['output'] as const)),
  ];
  return {
    nodeId,
    visit: number,
    input: isShown(input) ? input : null,
    output: isShown(output) ? output : null,
    omitted,
  };
}

/** Undefined: the policy of its node hides it. */
function showOutput(
  output: JsonValue,
  of: { readonly plan: Plan; readonly nodeId: string; readonly pseudonym: Pseudonym },
): JsonValue | undefined {
  const policy = policyOf(of.plan, of.nodeId);
  if (policy === null) return output;
  if (!policy.retainOutputs) return undefined;
  const key = of.plan.nodes.get(of.nodeId)?.outputKey ?? null;
  if (key === null) return redact(output, policy, of.pseudonym);
  // Fields may be named as a whole path of the state.
  return redactObject({ [key]: output }, policy, of.pseudonym)[key];
}

function policyOf(plan: Plan, nodeId: string): DataPolicy | null {
  const node = plan.nodes.get(nodeId)?.dataPolicy ?? null;
  return dataPolicyOf({ workflow: plan.dataPolicy, node });
}
