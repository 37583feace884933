import {
  evaluateExpression,
  isTruthy,
  shareSteps,
} from '../../domain/expression/evaluate-expression.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { parseRules, type PolicyRule } from '../../domain/policy/parse-rules.ts';
import {
  END_TARGET,
  type NodeReference,
  type ParseContext,
  type RuleViolation,
} from '../../domain/workflow/plan/plan.ts';
import { anyOf, list, object, text } from '../../domain/workflow/schema/fields.ts';
import { BRANCH_TARGET } from '../../domain/workflow/schema/part-fields.ts';
import { failExpression } from '../fail-entry.ts';
import { readText } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface PolicySpec {
  readonly rules: readonly PolicyRule[];
  readonly onViolation: OnViolation;
}

type OnViolation =
  { readonly do: 'fail' | 'warn' } | { readonly do: 'branch'; readonly target: NodeReference };

/**
 * Checks rules at this point: those of the workflow's `policies` by reference, and its own. Records
 * each violated rule. A rule that cannot be evaluated fails the node regardless of `on_violation`.
 */
export const policyKind: RunnableKind<PolicySpec> = {
  type: 'policy',
  aliases: [],
  fields: {
    policy_ref: text('One of `policies`, by name.'),
    rules: list('The rules that must hold.', { $ref: '#/$defs/PolicyRule' }),
    on_violation: anyOf('The consequence of a violated rule. Default `fail`.', [
      { enum: ['fail', 'warn'] },
      object('Continues there.', { branch: BRANCH_TARGET }, ['branch']),
    ]),
  },
  leaf: true,
  toolLike: false,

  parse(fields, at) {
    const named = readNamed(fields, at);
    const own = readOwn(fields, at);
    const onViolation = readOnViolation(fields, at);
    if (named === null || own === null || onViolation === null) return null;
    const rules = [...named, ...own];
    if (rules.length === 0) {
      const slip = Object.hasOwn(fields, 'policy')
        ? ': policy_ref names the policy, not policy'
        : '';
      at.problem('/policy_ref', `missing policy_ref, or rules of its own${slip}`);
      return null;
    }
    return { rules, onViolation };
  },

  edges({ onViolation }) {
    return onViolation.do === 'branch' ? [{ ...onViolation.target, on: 'choice' }] : [];
  },

  enter({ rules, onViolation }, { scope }) {
    const violations: (RuleViolation & JsonObject)[] = [];
    const steps = shareSteps(scope);
    for (const { name, condition, message } of rules) {
      const result = evaluateExpression(condition, scope, steps);
      if (!result.ok) return failExpression(result.message);
      if (!isTruthy(result.value)) violations.push({ name, message });
    }
    if (violations.length > 0 && onViolation.do === 'fail') {
      const told = violations.map(({ message }) => message).join('; ');
      const error = `the policy is violated: ${told}`;
      return { do: 'fail', error, errorClass: 'policy_violation', violations };
    }
    const completed = { do: 'complete', output: { violations }, violations } as const;
    if (violations.length === 0 || onViolation.do !== 'branch') return completed;
    const { to } = onViolation.target;
    return { ...completed, targets: to === END_TARGET ? [] : [to] };
  },
};

/** The rules of `policy_ref`; none when there is no such field. Null: reported. */
function readNamed(fields: JsonObject, at: ParseContext): readonly PolicyRule[] | null {
  const ref = fields['policy_ref'] ?? null;
  if (ref === null || ref === '') return [];
  const known = typeof ref === 'string' ? at.parts.policies.get(ref) : undefined;
  if (known !== undefined) return known;
  const message =
    typeof ref === 'string'
      ? `no policy ${JSON.stringify(ref)} that can be checked is in policies`
      : 'must be a string';
  at.problem('/policy_ref', message);
  return null;
}

function readOwn(fields: JsonObject, at: ParseContext): readonly PolicyRule[] | null {
  const raw = fields['rules'] ?? null;
  if (raw === null) return [];
  return parseRules(raw, (pointer, message) => at.problem(`/rules${pointer}`, message));
}

const FORMS = 'must be "fail", "warn" or {"branch": {"target": …}}';

function readOnViolation(fields: JsonObject, at: ParseContext): OnViolation | null {
  const raw = fields['on_violation'] ?? null;
  if (raw === null || raw === 'fail') return { do: 'fail' };
  if (raw === 'warn') return { do: 'warn' };
  const branch = isJsonObject(raw) ? (raw['branch'] ?? null) : null;
  if (branch === null) {
    at.problem('/on_violation', FORMS);
    return null;
  }
  // The node's id alone says the same.
  if (typeof branch === 'string' && branch !== '') return branchTo(branch, '/on_violation/branch');
  const pointer = '/on_violation/branch/target';
  const target = isJsonObject(branch) ? readText(branch, 'target', silent(at)) : null;
  if (target !== null) return branchTo(target, pointer);
  at.problem(pointer, 'missing target');
  return null;
}

function branchTo(to: string, pointer: string): OnViolation {
  return { do: 'branch', target: { to, pointer } };
}

function silent(at: ParseContext): ParseContext {
  return { ...at, problem: () => undefined };
}
