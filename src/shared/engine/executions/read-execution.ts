import type { PlaceWait } from '../../store/places.ts';
import type { ListedExecution } from './list-shown.ts';
import type { EventRange, ExecutionRef, Reader } from '../caller.ts';
import { messageIdsOf, type MessageIds } from '../../domain/a2a/message-ids.ts';
import { beginsAt } from '../../domain/execution/begins-at.ts';
import {
  type ExecutionState,
  type Failure,
  isDelayed,
  type LiveVisit,
} from '../../domain/execution/state.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { dueUndos } from '../../domain/execution/undo/due-undo.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import type { EngineDeps } from '../deps.ts';
import {
  findForCaller,
  foldLoaded,
  loadForCaller,
  readEventsOf,
} from '../advance/load-execution.ts';
import { findFlowWait, findPlaceWait } from '../flow/find-flow-wait.ts';
import { readError } from './results/read-result.ts';
import { redactEvent, redactFailure, redactRow, redactState, redactWait } from './redact-view.ts';
import { retryIdOf } from './retry-execution.ts';
import type { ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { ListedWait, LoadedExecution } from '../../store/executions.ts';
import type { FlowWait } from '../../store/flow.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import type { EventsFollower } from './followed-events.ts';

export interface ExecutionView {
  /** Id of the A2A message in its input, shown even if the rest is hidden; null: none. */
  readonly messageIds: MessageIds | null;
  readonly row: Omit<ListedExecution, 'errorClass' | 'errorNodeId'>;
  readonly state: ExecutionState;
  readonly waitingOn: readonly WaitingOn[];
  /** Its first cause, once it fails, also while undos and finalizers run. */
  readonly failure: Failure | null;
  /** Not null: a child that has not begun, because its tenant has no place for it. */
  readonly placeWait: PlaceWait | null;
  /** The execution in which this one was tried again. */
  readonly retriedAs: ExecutionId | null;
}

/** One thing a live execution waits for. */
export interface WaitingOn {
  readonly nodeId: string;
  readonly visit: number;
  readonly kind: string;
  readonly waitingFor:
    'work' | 'approval' | 'timer' | 'event' | 'either' | 'map' | 'child' | 'suspended';
  /** Null when the history before the last snapshot would have to be searched for it. */
  readonly since: string | null;
  readonly attempt: number;
  readonly workItemId: WorkItemId | null;
  readonly queue: string | null;
  readonly correlationKey: string | null;
  /** The first run of the child execution that is waited for. */
  readonly childId: ExecutionId | null;
}

export interface EventPage {
  readonly executionId: ExecutionId;
  readonly events: readonly RecordedEvent[];
  /** The execution has ended and `events` reaches its last one. */
  readonly ended: boolean;
}

/** How far back from the newest event the start of a wait is looked for. */
const SINCE_EVENTS_MAX = 500;

export async function readExecution(
  deps: EngineDeps,
  { tenantId }: Reader,
  { executionId, isHead = false }: ExecutionRef & { readonly isHead?: boolean },
): Promise<ExecutionView> {
  const { executions } = deps.store;
  const loaded = await loadForCaller({ executions, tenantId, executionId });
  const state = foldLoaded(loaded, null);
  const { plan } = await deps.definitions.get(loaded.row.definitionId);
  const live = [...state.live.values()].filter((visit) => visit.phase !== 'none');
  const [imported = null] = isTerminal(loaded.row.status)
    ? await deps.store.imports.find({
        tenantId,
        executionIds: [loaded.row.executionId],
      })
    : [];
  const times = await scheduledTimes(deps, {
    tail: loaded.events,
    live,
    executionId: state.executionId,
  });
  const [data, input] = isHead
    ? [{}, {}]
    : await resolveReferences(deps.store.artifacts, {
        tenantId,
        values: [state.data, state.input],
      });
  const { ending } = state;
  const pending = ending === null ? state.undo.pending : dueUndos(plan, state, ending.outcome);
  const undo = { ...state.undo, pending };
  const whole = { ...state, data, input, undo, status: loaded.row.status };
  const flowWait = redactWait(await findFlowWait(deps, state), plan);
  const placeWait = await findPlaceWait(deps, state);
  return {
    messageIds: messageIdsOf(input),
    row: {
      ...redactRow(loaded.row, plan, deps.pseudonym),
      labels: state.labels,
      waitingFor: delayOf(state, loaded) ?? waitOf(flowWait, placeWait),
      imported,
    },
    state: redactState(whole, plan, deps.pseudonym),
    placeWait,
    failure: await findFailure(deps, loaded, { state, plan }),
    waitingOn: live.map((visit) => waitingOn(visit, times)),
    retriedAs: await findRetry(deps, loaded.row),
  };
}

async function findFailure(
  deps: EngineDeps,
  loaded: LoadedExecution,
  { state, plan }: { readonly state: ExecutionState; readonly plan: Plan },
): Promise<Failure | null> {
  if (state.ending !== null) return redactFailure(state.ending.failure, plan, deps.pseudonym);
  if (loaded.row.status !== 'failed') return null;
  const { message: error, errorClass, nodeId } = await readError(deps, loaded);
  return { nodeId, error, errorClass };
}

/** The time that it waits for, from the event that says it; null: it may begin. */
function delayOf(
  state: ExecutionState,
  { row, events }: Pick<LoadedExecution, 'row' | 'events'>,
): ListedWait | null {
  if (!isDelayed(state) || isTerminal(row.status)) return null;
  const wait = { kind: 'start_after', placeKey: null, since: row.createdAt } as const;
  const until = beginsAt(events);
  return until === null ? wait : { ...wait, until };
}

function waitOf(flowWait: FlowWait | null, placeWait: PlaceWait | null): ListedWait | null {
  if (flowWait !== null) {
    const { placeKey, placesMax, since, dueAt, batch } = flowWait;
    const kind = batch === null ? 'debounce' : 'batch';
    if (dueAt !== null) return { kind, placeKey, since, until: dueAt };
    return { kind: placesMax === null ? 'rate' : 'concurrency', placeKey, since };
  }
  if (placeWait === null) return null;
  return { kind: 'max_concurrent_executions', placeKey: null, since: placeWait.since };
}

async function findRetry(
  deps: EngineDeps,
  { executionId, tenantId, status }: ExecutionRow,
): Promise<ExecutionId | null> {
  if (status !== 'failed' && status !== 'cancelled') return null;
  const found = await deps.store.executions.find(retryIdOf(executionId), tenantId);
  return found?.executionId ?? null;
}

export async function readEvents(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: ExecutionRef & EventRange,
): Promise<EventPage> {
  const { executions } = deps.store;
  const row = await findForCaller({ executions, tenantId, executionId: params.executionId });
  const { executionId } = row;
  const { executionId: _asked, ...range } = params;
  const { after } = range;
  const events = await readEventsOf(executions, { row, ...range });
  const last = events.at(-1)?.sequence ?? after;
  const { plan } = await deps.definitions.get(row.definitionId);
  const shown = events.map((event) => redactEvent(event, plan, deps.pseudonym));
  return { executionId, events: shown, ended: isTerminal(row.status) && last >= row.lastSequence };
}

/** Resolves when there are events after `after`, or the execution has ended, or the signal aborts. */
export function waitForEvents(
  { followedEvents }: Pick<UseCaseDeps, 'followedEvents'>,
  params: {
    readonly executionId: ExecutionId;
    readonly after: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { executionId, after, signal } = params;
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      followedEvents.leave(follower);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = () => end(resolve);
    const follower: EventsFollower = {
      executionId,
      after,
      onNews: () => end(resolve),
      onFailure: (error) => end(() => reject(error)),
    };
    signal.addEventListener('abort', onAbort, { once: true });
    followedEvents.follow(follower);
  });
}

async function scheduledTimes(
  deps: EngineDeps,
  of: {
    readonly executionId: ExecutionId;
    /** The events that were read with the state. */
    readonly tail: readonly RecordedEvent[];
    readonly live: readonly LiveVisit[];
  },
): Promise<ReadonlyMap<number, string>> {
  const { executionId, tail, live } = of;
  const times = new Map(tail.map((event) => [event.sequence, event.createdAt]));
  const missing = live
    .map((visit) => visit.scheduledSequence)
    .filter((sequence) => !times.has(sequence));
  if (missing.length === 0) return times;
  const events = await deps.store.executions.events({
    executionId,
    after: Math.min(...missing) - 1,
    limit: SINCE_EVENTS_MAX,
  });
  for (const event of events) times.set(event.sequence, event.createdAt);
  return times;
}

function waitingOn(visit: LiveVisit, times: ReadonlyMap<number, string>): WaitingOn {
  return {
    nodeId: visit.nodeId,
    visit: visit.visit,
    kind: visit.nodeKind,
    waitingFor: visit.phase === 'none' ? 'work' : visit.phase,
    since: times.get(visit.scheduledSequence) ?? null,
    attempt: visit.attempt,
    workItemId: visit.workItemId,
    queue: visit.queue,
    correlationKey: visit.correlationKey,
    childId: visit.phase === 'child' ? visit.childId : null,
  };
}
