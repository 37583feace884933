import { badRequest, type SvcError } from '../../../domain/errors.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import {
  type FunctionRun,
  MISFIT_CLASS,
  ROLLBACK_PREFIX,
} from '../../../domain/execution/function-run.ts';
import { awaitsChildren, leavesChildren } from '../../../domain/execution/undo/ending-children.ts';
import type { UsagePayload } from '../../../domain/execution/usage-payload.ts';
import type { TurnCommit } from './decide-turn.ts';
import {
  DEFAULT_RETRY_POLICY,
  judgeRetry,
  type RetryPolicy,
  type RetryVerdict,
} from '../../../domain/work/retry.ts';
import { failureFact } from '../../advance/outcome-facts.ts';
import type { Usage } from '../../../nodes/run.ts';
import type { Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { STALE_FENCE } from '../settle-work-item.ts';
import type { Settleable } from '../worker-leases.ts';
import { judgeAppend, leanEntries, recordedEvents } from './append-entries.ts';
import { changeRun, leaseOf, type OpenRun, type RunChange } from './change-run.ts';
import { endsWithFunction } from './end-function.ts';
import { deadLetterOf } from '../../overview/cause-of.ts';

/*
 * How a turn of a durable function settles its item. Entries ride along in the same commit. In a
 * rollback a completion says that the compensations have run: the visit then ends as it was to end.
 */

export interface SettleOfFunction {
  readonly workItemId: string;
  readonly leaseFence: number | null;
  readonly expectedLength: number | null;
  readonly entries: readonly JournalEntry[];
}

interface Settled {
  readonly found: Settleable;
  readonly committedAt: string;
}

interface Ending {
  readonly events: readonly ExecutionEvent[];
  readonly commit?: TurnCommit;
  /** The visit ends with it, unless it says otherwise. */
  readonly isOver?: boolean;
  /** Undos wait for the ends of its children. */
  readonly awaits?: boolean;
}

type AtWork = OpenRun & { readonly turn: NonNullable<OpenRun['turn']> };

export async function completeFunction(
  deps: UseCaseDeps,
  caller: Reader,
  params: SettleOfFunction & {
    /** The events that the completion records. */
    readonly facts: readonly ExecutionEvent[];
    /** Throws the 400 of an output that is not what the workflow was promised. */
    readonly check: () => Promise<void>;
    readonly refuse: (reason: string) => SvcError;
  },
): Promise<Settled> {
  return settle(deps, caller, {
    ...params,
    end: async (open, entries) => {
      const { visit, run } = open.turn;
      const awaits = leavesChildren(open.known.state.undo, { ...visit, run });
      const mark = awaits ? ({ awaits_children: true } as const) : {};
      const recorded = recordedEvents(deps, open.turn, entries);
      if (run.mode === 'rollback') {
        checkCompensated(run, entries);
        const end = endOfRollback(open, { ...usageIn(params.facts), ...mark });
        return { events: [...recorded, end], awaits };
      }
      await params.check();
      const facts = params.facts.map((fact): ExecutionEvent =>
        fact.kind === 'NodeCompleted' ? { ...fact, payload: { ...fact.payload, ...mark } } : fact,
      );
      return { events: [...recorded, ...facts], awaits };
    },
  });
}

export interface FailureOfFunction {
  readonly error: string;
  readonly errorClass: string;
  /** No further attempt, even if the policy allows one. */
  readonly isFinal: boolean;
  /** The next attempt follows after that time, in place of the back-off. */
  readonly retryAfterMs?: number | null;
  readonly usage: Usage | null;
}

export async function failFunction(
  deps: UseCaseDeps,
  caller: Reader,
  params: SettleOfFunction & FailureOfFunction & { readonly refuse: (reason: string) => SvcError },
): Promise<Settled & { readonly verdict: RetryVerdict; readonly attempt: number }> {
  const { usage, errorClass, retryAfterMs = null } = params;
  let verdict: RetryVerdict = { retryable: false };
  let attempt = 0;
  const settled = await settle(deps, caller, {
    ...params,
    end: async (open, entries) => {
      const { visit, run } = open.turn;
      const { record, lease } = open.found;
      ({ attempt } = visit);
      const { retryPolicy: policy, idempotencyKey: seed } = record;
      const misfits = isMisfit(params, policy);
      const isFinal = params.isFinal || (misfits && deps.settings.failsMisfits === true);
      const judged = misfits
        ? { policy: AWAIT_CODE, attempt: visit.memory?.uncounted ?? 0 }
        : { policy, attempt, retryAfterMs };
      verdict = isFinal ? { retryable: false } : judgeRetry({ ...judged, errorClass, seed });
      const isRollback = run.mode === 'rollback';
      const error = isRollback ? `the rollback failed: ${params.error}` : params.error;
      const compensations = owedAfter(run, entries);
      const isOver = !verdict.retryable && (isRollback || compensations.length === 0);
      const mayAwait = { ...visit, run: { ...run, compensations } };
      const awaits = !verdict.retryable && awaitsChildren(open.known.state.undo, mayAwait);
      const failed = failureFact(
        { ...lease.ticket, attempt, workerId: lease.workerId },
        {
          error,
          errorClass,
          verdict,
          ...(misfits && !isFinal && { counted: false }),
          ...(usage !== null && { usage }),
          awaitsChildren: awaits,
        },
      );
      const recorded = recordedEvents(deps, open.turn, entries);
      const { workItemId } = record;
      return {
        events: [...recorded, failed],
        isOver,
        awaits,
        commit: {
          deadLetters: isOver ? [deadLetterOf({ workItemId, attempt, error, errorClass })] : [],
        },
      };
    },
  });
  return { ...settled, verdict, attempt };
}

/** Without end: a deploy of code that fits is all that helps, and nobody knows when it comes. */
const AWAIT_CODE: RetryPolicy = {
  ...DEFAULT_RETRY_POLICY,
  maxAttempts: Number.POSITIVE_INFINITY,
};

/** The function waits for code that fits: it neither fails nor spends an attempt. */
function isMisfit({ errorClass, isFinal }: FailureOfFunction, policy: RetryPolicy): boolean {
  return errorClass === MISFIT_CLASS && !isFinal && !policy.nonRetryableOn.includes(MISFIT_CLASS);
}

async function settle(
  deps: UseCaseDeps,
  caller: Reader,
  params: SettleOfFunction & {
    readonly refuse: (reason: string) => SvcError;
    readonly end: (open: AtWork, entries: readonly JournalEntry[]) => Promise<Ending>;
  },
): Promise<Settled> {
  const { leaseFence } = params;
  if (leaseFence === null) throw badRequest('lease_fence is required for a durable function');
  const refuse = () => params.refuse(STALE_FENCE);
  const lean = await leanEntries(deps, caller.tenantId, params.entries);
  const { found, committedAt } = await changeRun(deps, caller, {
    workItemId: params.workItemId,
    leaseFence,
    refuse,
    propose: async (open): Promise<RunChange<null>> => {
      const { turn } = open;
      if (turn === null) throw refuse();
      const { expectedLength } = params;
      const at = { ...open, turn };
      const append = { entries: lean, expectedLength, verdict: {} };
      const judged = await judgeAppend(deps, at, append);
      const entries = judged === 'known' ? [] : lean;
      const { events, commit, isOver = true, awaits = false } = await params.end(at, entries);
      return {
        events,
        commit: {
          ...commit,
          settles: [{ ...leaseOf(open.found), onlyIfExpired: false }],
          runnable: 'mark',
          ...((isOver || awaits) &&
            endsWithFunction(open.known.state, { ...turn.visit, run: turn.run, awaits })),
        },
        answer: null,
      };
    },
  });
  if (committedAt === null) throw new Error(`the item of ${found.record.nodeId} was not settled`);
  return { found, committedAt };
}

/** Compensations that are owed once these entries are recorded. */
export function owedAfter(run: FunctionRun, entries: readonly JournalEntry[]): readonly string[] {
  const done = new Set(entries.flatMap((one) => (one.kind === 'rollback' ? one.identity : [])));
  const registered = entries.flatMap((one) => (one.kind === 'on_rollback' ? one.identity : []));
  return [...run.compensations, ...registered].filter((id) => !done.has(ROLLBACK_PREFIX + id));
}

function checkCompensated(run: FunctionRun, entries: readonly JournalEntry[]): void {
  const owed = owedAfter(run, entries);
  if (owed.length === 0) return;
  throw badRequest(`compensations have not run: ${owed.slice(0, 20).join(', ')}`, {
    compensations: owed.slice(0, 20),
  });
}

/** The usage that a completion reports. */
function usageIn(facts: readonly ExecutionEvent[]): { readonly usage?: UsagePayload } {
  const completed = facts.find((fact) => fact.kind === 'NodeCompleted');
  const { usage } = completed?.payload ?? {};
  return usage === undefined ? {} : { usage };
}

/** The visit ends as it was to end before it was rolled back. */
function endOfRollback(
  { turn, found }: AtWork,
  more: { readonly usage?: UsagePayload; readonly awaits_children?: true },
): ExecutionEvent {
  const { visit, run } = turn;
  const { nodeId } = visit;
  if (run.cause === null) throw new Error(`${nodeId} is rolled back for no reason`);
  if (run.cause.is === 'cancelled') {
    const { reason } = run.cause;
    const payload = { visit: visit.visit, reason, rolled_back: true, ...more } as const;
    return { kind: 'NodeCancelled', nodeId, payload };
  }
  const { error, errorClass } = run.cause;
  return {
    kind: 'NodeFailed',
    nodeId,
    payload: {
      visit: visit.visit,
      attempt: visit.attempt,
      error,
      error_class: errorClass,
      retryable: false,
      work_item_id: found.record.workItemId,
      rolled_back: true,
      ...more,
    },
  };
}
