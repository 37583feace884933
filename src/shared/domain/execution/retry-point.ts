import { settleAccepted } from './accepted-approvals.ts';
import { carry } from './carry/carry.ts';
import { carryInputs } from './carry/carry-inputs.ts';
import { carryUnfinished } from './carry/carry-unfinished.ts';
import { createRetryNotes, type RetryNotes } from './carry/retry-notes.ts';
import { createUndoneNotes } from './carry/undone-visits.ts';
import { nextVisits, visitsAgain } from './carry/visits-again.ts';
import { type Draft, draftOf, emptyState } from './draft.ts';
import type { ExecutionEvent, RecordedEvent } from './event.ts';
import type { CarriedPayload } from './event-payloads.ts';
import { applyEvent } from './evolve.ts';
import { addUsageOf } from './fold/add-usage.ts';
import { mergePatch } from './merge-patch.ts';
import { routeFrom } from './route.ts';
import {
  type Arrival,
  type ExecutionState,
  type LiveVisit,
  type UsageTotal,
  visitKey,
} from './state.ts';
import { endingChildrenOf } from './undo/ending-children.ts';
import type { ExecutionId, TenantId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Plan } from '../workflow/plan/plan.ts';

/**
 * Where a retry continues a failed or cancelled execution: its state just before its end. Completed
 * nodes stay complete. Each node that failed, or was cancelled with it, becomes a token at that
 * node again. A fork continues any execution so, from its state after any event.
 */
export interface RetryPoint {
  /** Sequence of the last event before those of the end, or before the bound of a fork. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly nodeId: string | null;
  readonly carried: CarriedPayload;
  /** The visits in progress there, which begin again, by `visitKey`. */
  readonly live: ReadonlySet<string>;
  /** The executions with children that undo their steps before any step that is carried is undone. */
  readonly parents: ReadonlySet<ExecutionId>;
}

/**
 * Where a retry begins instead if steps were undone: before the first of them completed. Visits
 * that had begun before that keep their idempotency keys, unless they are undone; later ones run again
 * under new keys.
 */
export interface Restart {
  /** The sequence of that completion. */
  readonly before: number;
  /** By `visitKey`. */
  readonly undone: ReadonlySet<string>;
  readonly nextVisit: ReadonlyMap<string, number>;
  /** The node that failed; null: none. */
  readonly nodeId: string | null;
  /** External events from after that sequence that no visit took. */
  readonly mailbox: ExecutionState['mailbox'];
}

/** Why the execution cannot be retried. */
export interface NoRetryPoint {
  readonly refused: string;
}

/** Finds the retry point of an ended execution, whose history it gets piece by piece. */
export interface RetrySearch {
  /** The events that follow those of the last piece. */
  add(piece: readonly RecordedEvent[]): void;
  /** Not null: steps were undone, so a search from an earlier point finds the retry point. */
  restart(): Restart | NoRetryPoint | null;
  find(params: {
    /** The execution that continues. */
    readonly successor: ExecutionId;
    readonly statePatch: JsonObject | null;
    /**
     * The usage of the whole execution: finalizers, compensations and children use models while it
     * ends, and that counts, too. Null: what all events up to the point record.
     */
    readonly usage: UsageTotal | null;
  }): RetryPoint | NoRetryPoint;
}

export function createRetrySearch(of: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly plan: Plan;
  /** The definition of the execution that continues. */
  readonly newPlan: Plan;
  /** Null or absent: the point is where the execution ended. */
  readonly restart?: Restart | null;
  /** For a fork: the last event that it carries. Approvals of later events stay valid for it. */
  readonly until?: number;
}): RetrySearch {
  const { newPlan, restart = null, until = Infinity } = of;
  const notes = createRetryNotes(restart?.undone);
  const undoneNotes = createUndoneNotes();
  const fold = foldUntilEnd(of);
  return {
    add(piece) {
      for (const event of piece) {
        if (restart === null) undoneNotes.note(event);
        else if (event.sequence >= restart.before) break;
        if (event.sequence > until) notes.noteLater(event);
        else {
          notes.note(event);
          fold.add(event);
        }
      }
      notes.keep(fold.live());
    },
    restart() {
      const undone = undoneNotes.undone();
      if (undone === null) return null;
      const { keys, firstSequence } = undone;
      if (firstSequence === null) {
        return {
          refused:
            'steps are undone that completed in an execution before this one, so they cannot run again here; start the workflow again',
        };
      }
      const { draft, failed } = fold.end();
      return {
        before: firstSequence,
        undone: keys,
        nextVisit: undoneNotes.nextVisit,
        nodeId: failed,
        mailbox: draft.mailbox.filter(({ sequence }) => sequence > firstSequence),
      };
    },
    find({ successor, statePatch, usage }) {
      const { draft, failed, unrouted, endedWell, used } = fold.end();
      if (restart !== null) {
        for (const [node, next] of restart.nextVisit) draft.nextVisit.set(node, next);
        draft.mailbox = [...draft.mailbox, ...restart.mailbox];
      }
      // A fork undoes the steps that it runs itself: the others are those of the original.
      const pending =
        until === Infinity
          ? draft.undo.pending.filter(({ nodeId }) => newPlan.undos.has(nodeId))
          : [];
      draft.undo = { ...draft.undo, pending };
      draft.usage = usage ?? used;
      if (statePatch !== null) draft.data = mergePatch(draft.data, statePatch);
      const restarted = [...draft.live.values()].filter(({ item }) => item === null);
      const numbers = visitsAgain(draft, { restarted, undone: notes.rolledBack });
      const again = restarted.flatMap((live) => arrivalsOf(live, { notes, numbers }));
      draft.arrivals = [...again, ...draft.arrivals];
      for (const { nodeId, output, targets } of unrouted) {
        routeFrom({ draft, plan: newPlan, nodeId, on: 'success', output, targets });
        if (draft.fatal !== null) return { refused: draft.fatal.error };
      }
      const missing = [...new Set(draft.arrivals.map(({ to }) => to))].filter(
        (id) => !newPlan.nodes.has(id),
      );
      if (missing.length > 0) {
        return {
          refused: `the definition has no node ${missing.join(', ')}, where it would continue`,
        };
      }
      if (draft.arrivals.length === 0 && !endedWell) {
        return {
          refused:
            until === Infinity
              ? 'nothing was running when it ended, so there is nothing to retry'
              : `nothing was left to run after event ${draft.sequence}`,
        };
      }
      const continued = carryInputs({ draft, notes, plan: of.plan, newPlan, numbers });
      return {
        sequence: draft.sequence,
        nodeId: restart === null ? failed : restart.nodeId,
        live: new Set(draft.live.keys()),
        parents: new Set([
          draft.executionId,
          ...endingChildrenOf(draft).flatMap(({ startedBy }) => startedBy ?? []),
        ]),
        carried: {
          ...carry(draft, { successor, visits: nextVisits(draft, { restarted, numbers }) }),
          ...carryUnfinished({ draft, notes, plan: of.plan, newPlan, continued }),
        },
      };
    },
  };
}

interface Folded {
  readonly draft: Draft;
  readonly failed: string | null;
  /** Nodes that completed and whose edge conditions failed to evaluate. */
  readonly unrouted: readonly Unrouted[];
  /** Only finalizers failed: the rest was complete. */
  readonly endedWell: boolean;
  /** The usage in all events, also in those that are not folded. */
  readonly used: UsageTotal;
}

interface Unrouted {
  readonly nodeId: string;
  readonly output: JsonValue;
  readonly targets: readonly string[] | null;
}

/** Folds the events before the end and before the cancellations that belong to it. */
function foldUntilEnd(of: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly plan: Plan;
  readonly newPlan: Plan;
}): {
  readonly add: (event: RecordedEvent) => void;
  readonly live: () => Draft['live'];
  readonly end: () => Folded;
} {
  let draft = draftOf(emptyState(of));
  let failed: string | null = null;
  let end: RecordedEvent | null = null;
  /** Cancellations that belong to the end if it follows them. */
  let held: RecordedEvent[] = [];
  const unrouted: Unrouted[] = [];
  const spent = { usage: draft.usage };

  function apply(event: RecordedEvent): void {
    if (event.kind === 'NodeFailed' && !event.payload.retryable) {
      const after = draftOf(draft);
      applyEvent(after, event, of);
      if (after.fatal === null) draft = after;
      else {
        // Its visit stays unchanged.
        draft.sequence = event.sequence;
        failed ??= event.nodeId;
      }
      return;
    }
    applyEvent(draft, event, of);
    if (draft.fatal === null) return;
    draft.fatal = null;
    failed ??= event.nodeId;
    if (event.kind !== 'NodeCompleted') return;
    const { output, targets = null } = event.payload;
    unrouted.push({ nodeId: event.nodeId, output, targets });
  }

  return {
    add(event) {
      addUsageOf(spent, event);
      if (end !== null) return;
      if (isEnd(event)) end = event;
      else if (isCancelledWithAll(event)) held.push(event);
      else {
        for (const earlier of held) apply(earlier);
        held = [];
        apply(event);
      }
    },
    live: () => draft.live,
    end() {
      const accepted = settleAccepted(draft, of);
      unrouted.push(...accepted.map((one) => ({ ...one, targets: null })));
      draft.workflowTimerFired = false;
      const endedWell = end?.kind === 'WorkflowEnding' && end.payload.outcome === 'completed';
      return { draft, failed, unrouted, endedWell, used: spent.usage };
    },
  };
}

function isEnd({ kind }: ExecutionEvent): boolean {
  switch (kind) {
    case 'WorkflowEnding':
    case 'WorkflowCompleted':
    case 'WorkflowFailed':
    case 'WorkflowCancelled':
      return true;
    default:
      return false;
  }
}

function isCancelledWithAll(event: RecordedEvent): boolean {
  if (event.kind !== 'NodeCancelled') return false;
  return CANCELLED_WITH_ALL.has(event.payload.reason);
}

const CANCELLED_WITH_ALL: ReadonlySet<string> = new Set([
  'the execution failed',
  'the execution was cancelled',
]);

/** The tokens that a visit was entered with, for the visit that begins again. */
function arrivalsOf(
  live: LiveVisit,
  of: {
    readonly notes: RetryNotes;
    readonly numbers: ReadonlyMap<string, number>;
  },
): readonly Arrival[] {
  const { nodeId, scope, scheduledSequence } = live;
  const visit = of.numbers.get(visitKey(nodeId, live.visit)) ?? live.visit;
  const token = { to: nodeId, output: scope.output, visit };
  if (scope.arrivals !== undefined && scope.arrivals.length > 0) {
    return scope.arrivals.map(({ nodeId: from, output }) => ({ ...token, from, output }));
  }
  const from = of.notes.scheduledFrom.get(scheduledSequence) ?? [];
  return from.length === 0
    ? [{ ...token, from: null }]
    : from.map((id) => ({ ...token, from: id }));
}
