import { settleAccepted } from './accepted-approvals.ts';
import { carry } from './carry/carry.ts';
import { carryInputs } from './carry/carry-inputs.ts';
import { rolledBack } from './carry/carry-journals.ts';
import { carryUnfinished } from './carry/carry-unfinished.ts';
import { nextVisits, visitsAgain } from './carry/visits-again.ts';
import { type Draft, draftOf, emptyState } from './draft.ts';
import type { ExecutionEvent, RecordedEvent } from './event.ts';
import type { CarriedPayload } from './event-payloads.ts';
import { applyEvent, evolve } from './evolve.ts';
import { mergePatch } from './merge-patch.ts';
import { routeFrom } from './route.ts';
import { type Arrival, type LiveVisit, visitKey } from './state.ts';
import type { ExecutionId, TenantId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Plan } from '../workflow/plan/plan.ts';

/**
 * Where a retry continues a failed or cancelled execution: its state just before its end. Completed
 * nodes stay complete. Each node that failed, or was cancelled with it, becomes a token at that
 * node again.
 */
export interface RetryPoint {
  /** Sequence of the last event before those of the end. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly nodeId: string | null;
  readonly carried: CarriedPayload;
}

/** Why the execution cannot be retried. */
export interface NoRetryPoint {
  readonly refused: string;
}

export function findRetryPoint(params: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  /** The whole history of an ended execution. */
  readonly events: readonly RecordedEvent[];
  readonly plan: Plan;
  /** The execution that continues, and its definition. */
  readonly successor: ExecutionId;
  readonly newPlan: Plan;
  readonly statePatch: JsonObject | null;
}): RetryPoint | NoRetryPoint {
  const { events, newPlan, successor } = params;
  const folded = foldUntilEnd(params);
  const { draft, failed, unrouted } = folded;
  if (params.statePatch !== null) draft.data = mergePatch(draft.data, params.statePatch);
  const restarted = [...draft.live.values()].filter(({ item }) => item === null);
  const numbers = visitsAgain(draft, { restarted, undone: rolledBack(events) });
  const again = restarted.flatMap((live) => arrivalsOf(live, { events, numbers }));
  draft.arrivals = [...again, ...draft.arrivals];
  for (const { nodeId, output, targets } of unrouted) {
    routeFrom({ draft, plan: newPlan, nodeId, on: 'success', output, targets });
    if (draft.fatal !== null) return { refused: draft.fatal.error };
  }
  const missing = [...new Set(draft.arrivals.map(({ to }) => to))].filter(
    (id) => !newPlan.nodes.has(id),
  );
  if (missing.length > 0) {
    return { refused: `the definition has no node ${missing.join(', ')}, where it would continue` };
  }
  if (draft.arrivals.length === 0 && !folded.endedWell) {
    return {
      refused: 'nothing was running when it ended, so there is nothing to retry',
    };
  }
  const continued = carryInputs({ draft, events, plan: params.plan, newPlan, numbers });
  return {
    sequence: draft.sequence,
    nodeId: failed,
    carried: {
      ...carry(draft, { successor, visits: nextVisits(draft, { restarted, numbers }) }),
      ...carryUnfinished({ draft, events, plan: params.plan, newPlan, continued }),
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
}

interface Unrouted {
  readonly nodeId: string;
  readonly output: JsonValue;
  readonly targets: readonly string[] | null;
}

function foldUntilEnd(of: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly events: readonly RecordedEvent[];
  readonly plan: Plan;
  readonly newPlan: Plan;
}): Folded {
  const { events } = of;
  const end = events.findIndex(isEnd);
  let last = end < 0 ? events.length : end;
  while (isCancelledWithAll(events[last - 1])) last -= 1;
  let draft = draftOf(emptyState(of));
  let failed: string | null = null;
  const unrouted: Unrouted[] = [];
  for (const event of events.slice(0, last)) {
    if (event.kind === 'NodeFailed' && !event.payload.retryable) {
      const after = draftOf(draft);
      applyEvent(after, event, of);
      if (after.fatal === null) draft = after;
      else {
        // Its visit stays unchanged.
        draft.sequence = event.sequence;
        failed ??= event.nodeId;
      }
      continue;
    }
    applyEvent(draft, event, of);
    if (draft.fatal === null) continue;
    draft.fatal = null;
    failed ??= event.nodeId;
    if (event.kind !== 'NodeCompleted') continue;
    const { output, targets = null } = event.payload;
    unrouted.push({ nodeId: event.nodeId, output, targets });
  }
  const accepted = settleAccepted(draft, of);
  unrouted.push(...accepted.map((one) => ({ ...one, targets: null })));
  draft.workflowTimerFired = false;
  // Finalizers, compensations and children use models while it ends, and that counts, too.
  draft.usage = evolve({ state: emptyState(of), events, plan: of.plan }).usage;
  const ending = events[end];
  const endedWell = ending?.kind === 'WorkflowEnding' && ending.payload.outcome === 'completed';
  return { draft, failed, unrouted, endedWell };
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

function isCancelledWithAll(event: RecordedEvent | undefined): boolean {
  if (event?.kind !== 'NodeCancelled') return false;
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
    readonly events: readonly RecordedEvent[];
    readonly numbers: ReadonlyMap<string, number>;
  },
): readonly Arrival[] {
  const { nodeId, scope, scheduledSequence } = live;
  const visit = of.numbers.get(visitKey(nodeId, live.visit)) ?? live.visit;
  const token = { to: nodeId, output: scope.output, visit };
  if (scope.arrivals !== undefined && scope.arrivals.length > 0) {
    return scope.arrivals.map(({ nodeId: from, output }) => ({ ...token, from, output }));
  }
  const scheduled = of.events[scheduledSequence - 1];
  const from = scheduled?.kind === 'NodeScheduled' ? scheduled.payload.from : [];
  return from.length === 0
    ? [{ ...token, from: null }]
    : from.map((id) => ({ ...token, from: id }));
}
