import { refuseUnknown, type Known } from '../../known-options.ts';
import type { Expression } from '../expression.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';

/** Which tools and models may be used. Each value is a list of globs with `*` and `?`. */
export interface Policy {
  /** Tools that are never called. */
  readonly blockedTools?: readonly string[];
  /** Tools that a person must approve before each call. */
  readonly requireApprovalFor?: readonly string[];
  /** Only these models may be asked. */
  readonly modelAllowlist?: readonly string[];
}

const POLICY: Known<Policy> = {
  blockedTools: true,
  requireApprovalFor: true,
  modelAllowlist: true,
};

export function writePolicy(policy: Policy | undefined): JsonObject | undefined {
  refuseUnknown(policy ?? {}, POLICY, 'policy');
  return policy === undefined
    ? undefined
    : dropAbsent({
        blocked_tools: policy.blockedTools,
        require_approval_for: policy.requireApprovalFor,
        model_allowlist: policy.modelAllowlist,
      });
}

/** Limits on the data that people see when they read an execution. */
export interface DataPolicy {
  /** Names of fields at any depth, or the ends of paths, such as `customer.email`. */
  readonly piiFields?: readonly string[];
  /** Data to find in all text. */
  readonly detectors?: readonly (
    'email' | 'phone' | 'credit_card' | 'ssn' | 'iban' | 'ip_address'
  )[];
  /** Default `mask`. */
  readonly action?: 'mask' | 'hash' | 'remove';
  /** Whether a model step writes its prompt into the history. Default false. */
  readonly retainPrompts?: boolean;
  /** False: reads omit the outputs. Default true. */
  readonly retainOutputs?: boolean;
}

const DATA_POLICY: Known<DataPolicy> = {
  piiFields: true,
  detectors: true,
  action: true,
  retainPrompts: true,
  retainOutputs: true,
};

export function writeDataPolicy(policy: DataPolicy | undefined): JsonObject | undefined {
  refuseUnknown(policy ?? {}, DATA_POLICY, 'dataPolicy');
  return policy === undefined
    ? undefined
    : dropAbsent({
        pii_fields: policy.piiFields,
        detectors: policy.detectors,
        action: policy.action,
        retain_prompts: policy.retainPrompts,
        retain_outputs: policy.retainOutputs,
      });
}

/** A condition that must be true when the execution reaches a policy step. */
export interface PolicyRule {
  readonly condition: Expression;
  /** In the event of a violation. */
  readonly name?: string;
  readonly message?: string;
}

/** Rules that policy steps name. */
export interface PolicyRules {
  readonly rules: readonly PolicyRule[];
  readonly description?: string;
  readonly labels?: JsonValue;
}

const RULE: Known<PolicyRule> = { condition: true, name: true, message: true };

export function writeRules(rules: readonly PolicyRule[] | undefined): JsonValue | undefined {
  return rules?.map((rule) => {
    refuseUnknown(rule, RULE, 'a rule');
    const { name, condition, message } = rule;
    return dropAbsent({ name, condition: condition['~cel'], message });
  });
}

export function writePolicyRules({ rules, description, labels }: PolicyRules): JsonObject {
  return dropAbsent({ rules: writeRules(rules), description, labels });
}
