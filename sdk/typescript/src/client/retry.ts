import type { OperationName } from './wire.ts';
import {
  ConnectionError,
  LimitError,
  RetryAfterError,
  TimeoutError,
  UnavailableError,
} from './errors.ts';
import { OPERATIONS } from './operation-table.ts';

/** How often a call is sent again, and how long it waits before. */
export interface RetryPolicy {
  /** Attempts in all; 1: nothing is sent again. */
  readonly attempts: number;
  /** Upper bound of the first wait; it doubles with every attempt. */
  readonly baseMs: number;
  /** Upper bound of every wait. A service that asks for a longer one gets no further attempt. */
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseMs: 100, maxMs: 10_000 };

/**
 * Operations beside GET that may be sent again although the first may have taken effect: they leave
 * the same behind. Starts belong to them because they carry idempotency keys.
 */
const REPEATABLE: ReadonlySet<OperationName> = new Set<OperationName>([
  'start-execution',
  'start-executions',
  'trigger-schedule',
  'backfill-schedule',
  'fork-execution',
  'preview-schedule',
  'preview-agent',
  'register-workflow',
  'import-execution',
  'cancel-execution',
  'pause-execution',
  'resume-execution',
  'move-execution',
  'pause-workflow',
  'resume-workflow',
  'activate-agent',
  'deactivate-agent',
  'heartbeat-agent',
  'renew-lease',
  'record-steps',
  'suspend-work-item',
  'continue-work-item',
  'upload-artifact',
  'save-memory-settings',
  'change-memory-settings',
  'test-memory-settings',
  'recall-facts',
  'forget-facts',
  'update-tenant',
  'update-schedule',
  'update-cron',
  'set-retention-policy',
]);

export function isRepeatable(operation: OperationName): boolean {
  return OPERATIONS[operation].method === 'GET' || REPEATABLE.has(operation);
}

/** How long to wait before the next attempt; null: the error is final. */
export function retryDelayMs(params: {
  readonly error: unknown;
  /** Attempts that have been made. */
  readonly attempts: number;
  readonly repeatable: boolean;
  readonly policy: RetryPolicy;
  readonly random: () => number;
}): number | null {
  const { error, attempts, repeatable, policy, random } = params;
  if (attempts >= policy.attempts || !isWorthRetrying(error, repeatable)) return null;
  const { baseMs, maxMs } = policy;
  // Full jitter: many clients that fail together come back apart.
  const jitterMs = random() * Math.min(maxMs, baseMs * 2 ** (attempts - 1));
  const askedMs = error instanceof RetryAfterError ? error.retryAfterMs : null;
  if (askedMs === null) return jitterMs;
  return askedMs > maxMs ? null : askedMs + jitterMs;
}

function isWorthRetrying(error: unknown, repeatable: boolean): boolean {
  // A request that a limit refuses has changed nothing.
  if (error instanceof LimitError) return error.status === 429;
  if (error instanceof ConnectionError) {
    return error.code !== 'foreign_service' && (error.neverSent || repeatable);
  }
  return repeatable && (error instanceof UnavailableError || error instanceof TimeoutError);
}

/** Whether the service may answer later, so that somebody who waits for long may ask again. */
export function isOutage(error: unknown): boolean {
  return isWorthRetrying(error, true);
}
