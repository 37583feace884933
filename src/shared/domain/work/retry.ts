import { createHash } from 'node:crypto';

/** A retry policy with every default filled in; times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all, the first included; at least 1. */
  readonly maxAttempts: number;
  readonly backoff: 'fixed' | 'linear' | 'exponential';
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitter: boolean;
  /** Null: every class may be retried. */
  readonly retryableOn: readonly string[] | null;
  readonly nonRetryableOn: readonly string[];
}

/** Stored items without a policy have this one, so a change of it changes them too. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  backoff: 'exponential',
  initialDelayMs: 1_000,
  maxDelayMs: 60_000,
  jitter: true,
  retryableOn: null,
  nonRetryableOn: [],
};

export const BUILT_IN_RETRY_POLICIES: Readonly<Record<string, RetryPolicy>> = {
  no_retry: { ...DEFAULT_RETRY_POLICY, maxAttempts: 1 },
  io_default: { ...DEFAULT_RETRY_POLICY, maxAttempts: 5 },
  llm_default: { ...DEFAULT_RETRY_POLICY },
};

export type RetryVerdict =
  { readonly retryable: true; readonly delayMs: number } | { readonly retryable: false };

/**
 * Whether attempt number `attempt` (from 0), having failed with `errorClass`, is followed by
 * another, and after how long. `seed` makes the jitter: the same seed and attempt always give the
 * same delay, so that a decision computed twice is the same decision.
 */
export function judgeRetry(params: {
  readonly policy: RetryPolicy;
  readonly attempt: number;
  readonly errorClass: string;
  readonly seed: string;
  /** The delay that the attempt itself asked for; null or absent: the policy's. */
  readonly retryAfterMs?: number | null;
}): RetryVerdict {
  const { policy, attempt, errorClass, seed, retryAfterMs = null } = params;
  if (attempt + 1 >= policy.maxAttempts) return { retryable: false };
  if (policy.nonRetryableOn.includes(errorClass)) return { retryable: false };
  if (policy.retryableOn !== null && !policy.retryableOn.includes(errorClass)) {
    return { retryable: false };
  }
  return { retryable: true, delayMs: retryAfterMs ?? backoffMs(policy, attempt, seed) };
}

function backoffMs(policy: RetryPolicy, attempt: number, seed: string): number {
  const { initialDelayMs, maxDelayMs } = policy;
  const raw =
    policy.backoff === 'fixed'
      ? initialDelayMs
      : policy.backoff === 'linear'
        ? initialDelayMs * (attempt + 1)
        : initialDelayMs * 2 ** Math.min(attempt, 52);
  const capped = Math.min(raw, maxDelayMs);
  return policy.jitter ? Math.round(capped * (0.5 + 0.5 * fraction(`${seed}:${attempt}`))) : capped;
}

/** A number in [0, 1) that depends on nothing but the seed. */
function fraction(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32;
}
