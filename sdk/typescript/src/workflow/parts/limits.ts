import { refuseUnknown, type Known } from '../../known-options.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';

/** Seconds as a number, or text: `500ms`, `2s`, `5m`, `1h`, `7d`. At most ten years. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** How often a step is tried, and when. */
export interface RetryPolicy {
  /** All attempts, with the first; 1 to 1 000. Default 3. */
  readonly maxAttempts?: number;
  /** How the delays grow. Default `exponential`. */
  readonly backoff?: 'fixed' | 'linear' | 'exponential';
  /** Before the second attempt. Default 1 s. */
  readonly initialDelay?: Duration;
  /** Default 60 s. */
  readonly maxDelay?: Duration;
  /** Whether each delay is drawn from its upper half. Default true. */
  readonly jitter?: boolean;
  /** Only these error classes are tried again. Default: all. */
  readonly retryableOn?: readonly string[];
  /** These error classes are not tried again. */
  readonly nonRetryableOn?: readonly string[];
  readonly description?: string;
  readonly labels?: JsonValue;
}

/** The policies that every definition has. */
export type BuiltInRetryPolicy = 'no_retry' | 'io_default' | 'llm_default';

const RETRY: Known<RetryPolicy> = {
  maxAttempts: true,
  backoff: true,
  initialDelay: true,
  maxDelay: true,
  jitter: true,
  retryableOn: true,
  nonRetryableOn: true,
  description: true,
  labels: true,
};

export function writeRetryPolicy(policy: RetryPolicy): JsonObject {
  refuseUnknown(policy, RETRY, 'a retry policy');
  return dropAbsent({
    max_attempts: policy.maxAttempts,
    backoff: policy.backoff,
    initial_delay: policy.initialDelay,
    max_delay: policy.maxDelay,
    jitter: policy.jitter,
    retryable_on: policy.retryableOn,
    non_retryable_on: policy.nonRetryableOn,
    description: policy.description,
    labels: policy.labels,
  });
}

/** A name, or the policy itself. */
export function writeRetryChoice(policy: string | RetryPolicy | undefined): JsonValue | undefined {
  return typeof policy === 'object' ? writeRetryPolicy(policy) : policy;
}

/** Time limits of a workflow. */
export interface Timeouts {
  /** Longest time of one attempt of a step. Default 300 s. */
  readonly nodeTimeout?: Duration;
  /** Longest time of an execution. Default: none. */
  readonly workflowTimeout?: Duration;
  /** Longest wait for the decision of a person. Default: none. */
  readonly approvalTimeout?: Duration;
  /** Longest wait of work in its queue. Default: none. */
  readonly scheduleToStart?: Duration;
  /** How often a worker renews its lease. Default, and at most, 10 s. */
  readonly heartbeatInterval?: Duration;
}

const TIMEOUTS: Known<Timeouts> = {
  nodeTimeout: true,
  workflowTimeout: true,
  approvalTimeout: true,
  scheduleToStart: true,
  heartbeatInterval: true,
};

export function writeTimeouts(timeouts: Timeouts | undefined): JsonObject | undefined {
  refuseUnknown(timeouts ?? {}, TIMEOUTS, 'timeouts');
  return timeouts === undefined
    ? undefined
    : dropAbsent({
        node_timeout: timeouts.nodeTimeout,
        workflow_timeout: timeouts.workflowTimeout,
        approval_timeout: timeouts.approvalTimeout,
        schedule_to_start: timeouts.scheduleToStart,
        heartbeat_interval: timeouts.heartbeatInterval,
      });
}

/** Most tokens of an execution and its children: input and output together, or apart. */
export type TokenBudget =
  | number
  | {
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly totalTokens?: number;
    };

const TOKEN_BUDGET: Known<Exclude<TokenBudget, number>> = {
  inputTokens: true,
  outputTokens: true,
  totalTokens: true,
};

export function writeTokenBudget(budget: TokenBudget | undefined): JsonValue | undefined {
  if (typeof budget === 'object') refuseUnknown(budget, TOKEN_BUDGET, 'tokenBudget');
  return typeof budget !== 'object'
    ? budget
    : dropAbsent({
        input_tokens: budget.inputTokens,
        output_tokens: budget.outputTokens,
        total_tokens: budget.totalTokens,
      });
}
