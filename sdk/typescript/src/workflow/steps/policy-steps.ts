import { writeRules, type PolicyRule } from '../parts/policies.ts';
import type { AnyShape, End, Shape } from '../shape.ts';
import { createStep, type Gives, type Own, type Step, type StepOptions } from './step.ts';

/** The reaction to a rule that is false. */
export type OnViolation<Target extends string> =
  'fail' | 'warn' | { readonly branch: { readonly target: Target | End } };

interface PolicyStepOptions<
  S extends Shape,
  Target extends string,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** Rules of `policies`. */
  readonly policyRef?: S['names']['policies'];
  /** Rules of this step. */
  readonly rules?: readonly PolicyRule[];
  /** Default `fail`. */
  readonly onViolation?: OnViolation<Target>;
}

/** The rules that were false. */
export interface PolicyOutput {
  readonly violations: readonly { readonly name: string; readonly message: string }[];
}

/** Steps that check rules. */
export interface PolicySteps<S extends Shape> {
  /** Checks rules over the state. */
  readonly policy: <
    Target extends string = never,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options: PolicyStepOptions<S, Target, Key, Fallback>,
  ) => Step<Gives<PolicyOutput, Key, Exclude<Target, End> | Fallback>>;
}

const POLICY: Own<PolicyStepOptions<AnyShape, string, string, string>> = {
  policyRef: true,
  rules: true,
  onViolation: true,
};

export const policySteps: PolicySteps<AnyShape> = {
  policy({ policyRef, rules, onViolation, ...options }) {
    const kind = {
      type: 'policy',
      policy_ref: policyRef,
      rules: writeRules(rules),
      on_violation: onViolation,
    };
    const targets = typeof onViolation === 'object' ? [onViolation.branch.target] : [];
    return createStep(kind, options, { own: POLICY, targets });
  },
};
