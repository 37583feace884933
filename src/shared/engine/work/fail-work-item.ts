import type { Reader } from '../caller.ts';
import { protocolConflict, type SvcError } from '../../domain/errors.ts';
import type { WorkItemId } from '../../domain/ids.ts';
import type { Usage } from '../../nodes/run.ts';
import { emptyCommit } from '../../store/commit.ts';
import { chargeWith } from '../advance/budgets.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { reportAttempt } from './report-attempt.ts';
import {
  ALREADY_SETTLED,
  attemptOf,
  checkCoordinates,
  checkSettleable,
  commitSettle,
  knownOf,
  priced,
  type SettleRef,
  workerActor,
} from './settle-work-item.ts';
import type { JournalEntry } from '../../domain/execution/function-events.ts';
import { judgeRetry } from '../../domain/work/retry.ts';
import { failureFact } from '../advance/outcome-facts.ts';
import { failFunction } from './functions/settle-function.ts';
import { newEvent } from '../commit/commit-plan.ts';
import { deadLetterOf } from '../overview/cause-of.ts';

export interface FailWorkItem extends SettleRef {
  readonly error: string;
  /** Classifies the error for the retry policy; `error` by default. */
  readonly errorClass: string;
  /** For a durable function: entries to record with this, and how many the worker knows. */
  readonly entries?: readonly JournalEntry[];
  readonly expectedLength?: number | null;
  /** No further attempt, even if the policy allows one. */
  readonly isFinal?: boolean;
  /** The next attempt follows after that time, in place of the back-off; null or absent: does not. */
  readonly retryAfterMs?: number | null;
  /** Usage of the models that the worker called; null: not reported. */
  readonly usage: Usage | null;
}

export interface FailedWorkItem {
  readonly workItemId: WorkItemId;
  readonly retryable: boolean;
  /** The attempt that just failed, from 0. */
  readonly attempt: number;
  /** Set when the fence was omitted. */
  readonly warning: string | null;
}

export async function failWorkItem(
  deps: UseCaseDeps,
  caller: Reader,
  params: FailWorkItem,
): Promise<FailedWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ failed: false, reason });
  const settling = { deps, caller, params, refuse };
  const { found } = await checkSettleable(settling, async ({ record: of }) =>
    checkCoordinates(params, of),
  );
  const { record, lease } = found;
  const { workItemId, tenantId, idempotencyKey, retryPolicy } = record;
  const { attempt } = lease.ticket;
  const { error, errorClass, retryAfterMs = null } = params;
  const usage = priced(deps, params.usage);
  if (record.queue === 'function') return failTurn(deps, caller, { ...params, refuse });
  if (params.leaseFence === null) {
    deps.report.count('unfenced_settles', 1);
    const settled = await deps.store.work.settleUnfenced({
      workItemId,
      tenantId,
      record: null,
      deadLetter: error,
    });
    if (!settled) throw refuse(ALREADY_SETTLED);
    deps.report.count('dead_letters', 1);
    return {
      workItemId,
      retryable: false,
      attempt,
      warning:
        'lease_fence was omitted: the item is settled, but its node is neither failed nor retried; send lease_fence',
    };
  }
  const verdict =
    params.isFinal === true
      ? ({ retryable: false } as const)
      : judgeRetry({
          policy: retryPolicy,
          attempt,
          errorClass,
          seed: idempotencyKey,
          retryAfterMs,
        });
  const failed = failureFact(attemptOf(lease), {
    error,
    errorClass,
    verdict,
    ...(usage !== null && { usage }),
  });
  const work = await knownOf(deps, found);
  const endedAt = await commitSettle(settling, found, {
    ...emptyCommit(record),
    settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],
    events: [newEvent(failed, workerActor(lease))],
    ...chargeWith([failed]),
    deadLetters: verdict.retryable
      ? []
      : [deadLetterOf({ workItemId, attempt, error, errorClass })],
    runnable: 'mark',
  });
  deps.report.count('items_failed', 1);
  reportAttempt(deps, found, {
    ...work,
    endedAt,
    error: { type: errorClass, message: error },
    usage,
    model: null,
  });
  return { workItemId, retryable: verdict.retryable, attempt, warning: null };
}

async function failTurn(
  deps: UseCaseDeps,
  caller: Reader,
  params: FailWorkItem & { readonly refuse: (reason: string) => SvcError },
): Promise<FailedWorkItem> {
  const { entries = [], expectedLength = null, isFinal = false, error, errorClass } = params;
  const usage = priced(deps, params.usage);
  const failed = await failFunction(deps, caller, {
    ...params,
    entries,
    expectedLength,
    isFinal,
    usage,
  });
  const { found, attempt, committedAt: endedAt, verdict } = failed;
  const work = await knownOf(deps, found);
  deps.report.count('items_failed', 1);
  const told = { type: errorClass, message: error };
  reportAttempt(deps, found, { ...work, endedAt, error: told, usage, model: null });
  const { workItemId } = found.record;
  return { workItemId, retryable: verdict.retryable, attempt, warning: null };
}
