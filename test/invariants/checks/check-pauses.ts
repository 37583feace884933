import { claimsOf } from './check-claims.ts';
import { displacedIn } from './check-concurrency.ts';
import { byExecution } from './check-histories.ts';
import { foldHistory } from '../fold-history.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { deedsOf, isBefore, success, wasRefused, type Deed, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** While an execution is paused, facts are recorded and nothing follows from them. */
export function checkPauses(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  // A newer execution of its key ends an execution, and its pause, without a request.
  const displaced = new Set(displacedIn(last).map(({ event }) => event.execution_id));
  return [
    ...checkConsequences(last),
    ...dumps.flatMap(checkRows),
    ...checkHandedOut(history, displaced),
    ...checkAsked(last, history, displaced),
    ...checkKept(last, history, displaced),
  ];
}

/**
 * Events that only a decision records. The end of visits is not among them, because a cancel
 * records it too.
 */
const CONSEQUENCES = new Set([
  'NodeScheduled',
  'NodeResumed',
  'RollbackScheduled',
  'NodeSkipped',
  'RetryScheduled',
  'ApprovalRequested',
  'ExternalEventWaiting',
  'BudgetExceeded',
  'WorkflowCompleted',
  'WorkflowFailed',
]);

function checkConsequences(dump: Dump): Violation[] {
  const stories = [...byExecution(dump)].filter(([, story]) => story.some(isAboutPauses));
  return stories.flatMap(([execution, story]) => {
    const before = new Map<EventOf, ReadonlySet<string>>();
    followPauses(story, (event, scopes) => before.set(event, new Set(scopes)));
    const scopesBefore = (event: EventOf) => before.get(event) ?? new Set();
    const found = ({ sequence, kind }: EventOf) => ({ about: { execution, sequence }, saw: kind });
    return [
      ...violations(
        'nothing follows while an execution is paused',
        consequencesIn(story),
        (event) => (scopesBefore(event).size > 0 ? found(event) : null),
      ),
      ...violations('a pause begins once, and ends once', story, (event) => {
        const isHeld = scopesBefore(event).has(textIn(event.payload, 'scope'));
        const isWrong = isHeld
          ? event.kind === 'ExecutionPaused'
          : event.kind === 'ExecutionResumed';
        return isWrong ? found(event) : null;
      }),
    ];
  });
}

/**
 * A function may continue a turn that it already had before the pause: ask a person, or use up a budget
 * with the steps that it records.
 */
function consequencesIn(story: readonly EventOf[]): readonly EventOf[] {
  let before = '';
  return story.filter(({ kind, payload }) => {
    const isAsked = kind === 'ApprovalRequested' && payload['step'] !== undefined;
    const isUsedUp = kind === 'BudgetExceeded' && before === 'StepRecorded';
    if (kind !== 'BudgetExceeded') before = kind;
    return CONSEQUENCES.has(kind) && !isAsked && !isUsedUp;
  });
}

function isAboutPauses({ kind }: EventOf): boolean {
  return kind === 'ExecutionPaused' || kind === 'ExecutionResumed';
}

/** Calls `tell` for each event with the scopes of the pauses before it. */
function followPauses(
  story: readonly EventOf[],
  tell: (event: EventOf, scopes: ReadonlySet<string>) => void,
): void {
  const scopes = new Set<string>();
  for (const event of story) {
    tell(event, scopes);
    const { kind, payload } = event;
    if (kind === 'ExecutionPaused') scopes.add(textIn(payload, 'scope'));
    else if (kind === 'ExecutionResumed') scopes.delete(textIn(payload, 'scope'));
    // A cancel ends every pause.
    else if (kind === 'WorkflowEnding' || kind === 'WorkflowCancelled') scopes.clear();
  }
}

function checkRows(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const paused = dump.executions.filter(
    ({ id }) => foldHistory(events.get(id) ?? []).pauses.size > 0,
  );
  const queued = Map.groupBy(dump.work_queue, (item) => item.execution_id);
  return [
    ...violations('a paused execution has the status paused', paused, ({ id, status }) =>
      status === 'paused' ? null : { about: { execution: id }, saw: status },
    ),
    ...violations('no item of a paused execution is on a queue', paused, ({ id }) => {
      const items = queued.get(id) ?? [];
      if (items.length === 0) return null;
      return { about: { execution: id }, saw: `${items.length} items, ${items[0]?.node_id}` };
    }),
  ];
}

/**
 * Applies from the answer to a pause until a client asks for a resumption, or for a cancel, which
 * starts rollbacks.
 */
function checkHandedOut(history: History, displaced: ReadonlySet<string>): Violation[] {
  const ends = endsOfPauses(history);
  const pauses = Map.groupBy(
    deedsOf(history, 'pause').filter((deed) => success(deed) !== null),
    ({ asks }) => asks.executionId,
  );
  return violations('no item of a paused execution is handed out', claimsOf(history), (claim) => {
    const pause = pauses.get(claim.executionId)?.find((deed) => isBefore(deed, claim.deed));
    if (pause === undefined || displaced.has(claim.executionId)) return null;
    // An end that is not answered before the pause begins may take effect after the pause.
    const mayBeOver = ends
      .get(claim.executionId)
      ?.some((deed) => !isBefore(deed, pause) && !isBefore(claim.deed, deed));
    if (mayBeOver) return null;
    return {
      about: { execution: claim.executionId, work_item: claim.workItemId, pause: pause.begun },
      saw: 'an item was handed out after the answer to the pause',
    };
  });
}

/** Requests that may have ended pauses, by execution. */
function endsOfPauses(history: History): ReadonlyMap<string, readonly Deed[]> {
  const deeds = [...deedsOf(history, 'resume'), ...deedsOf(history, 'cancel')];
  return Map.groupBy(
    deeds.filter((deed) => !wasRefused(deed)),
    ({ asks }) => asks.executionId,
  );
}

function checkAsked(dump: Dump, history: History, displaced: ReadonlySet<string>): Violation[] {
  const asked = {
    ExecutionPaused: Map.groupBy(deedsOf(history, 'pause'), ({ asks }) => asks.executionId),
    ExecutionResumed: Map.groupBy(deedsOf(history, 'resume'), ({ asks }) => asks.executionId),
  } as const;
  const cancels = Map.groupBy(deedsOf(history, 'cancel'), ({ asks }) => asks.executionId);
  const endings = new Map(
    dump.events.flatMap(({ kind, execution_id: id, sequence }) =>
      kind === 'WorkflowEnding' ? [[id, sequence] as const] : [],
    ),
  );
  return violations('a request caused every pause and resumption', dump.events, (event) => {
    const { kind, execution_id: id } = event;
    if (kind !== 'ExecutionPaused' && kind !== 'ExecutionResumed') return null;
    if (textIn(event.payload, 'scope') !== 'execution') return null;
    // While finalizers or rollbacks run, a cancel ends the pause that blocks them.
    const mayBeCancel =
      kind === 'ExecutionResumed' && (endings.get(id) ?? Infinity) < event.sequence;
    const deeds: readonly Deed[] = [
      ...(asked[kind].get(id) ?? []),
      ...(mayBeCancel ? (cancels.get(id) ?? []) : []),
    ];
    if (deeds.some((deed) => !wasRefused(deed))) return null;
    if (mayBeCancel && displaced.has(id)) return null;
    return { about: { execution: id }, saw: `${kind}, and ${deeds.length} requests` };
  });
}

/** A pause that was answered stays through all failures, until a client asks for its end. */
function checkKept(dump: Dump, history: History, displaced: ReadonlySet<string>): Violation[] {
  const pauses = Map.groupBy(
    deedsOf(history, 'pause').filter((deed) => success(deed) !== null),
    ({ asks }) => asks.executionId,
  );
  const ends = endsOfPauses(history);
  const paused = new Set(
    dump.events.filter(({ kind }) => kind === 'ExecutionPaused').map((event) => event.execution_id),
  );
  const reads = deedsOf(history, 'read').filter((deed) => success(deed) !== null);
  return [
    ...violations('an acknowledged pause is recorded', pauses.keys(), (id) =>
      paused.has(id) ? null : { about: { execution: id }, saw: 'no event records it' },
    ),
    ...violations('a pause stays until a request ends it', reads, (read) => {
      const { executionId } = read.asks;
      const pause = pauses.get(executionId)?.find((deed) => isBefore(deed, read));
      const { status } = success(read) ?? {};
      if (pause === undefined || status === 'paused' || displaced.has(executionId)) return null;
      const mayBeOver = ends
        .get(executionId)
        ?.some((deed) => !isBefore(deed, pause) && !isBefore(read, deed));
      if (mayBeOver) return null;
      return {
        about: { execution: executionId, pause: pause.begun, read: read.begun },
        saw: `${JSON.stringify(status)}, and nobody has asked for it`,
      };
    }),
  ];
}
