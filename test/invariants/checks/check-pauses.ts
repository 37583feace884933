import { claimsOf } from './check-claims.ts';
import { byExecution } from './check-histories.ts';
import { foldHistory } from '../fold-history.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { deedsOf, isBefore, success, wasRefused, type Deed, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** While an execution is paused, what happens is recorded and nothing follows from it. */
export function checkPauses(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [
    ...checkConsequences(last),
    ...dumps.flatMap(checkRows),
    ...checkHandedOut(history),
    ...checkAsked(last, history),
    ...checkKept(last, history),
  ];
}

/** What a decision alone records. Cancels record the end of visits too: with the end itself. */
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
      ...violations('nothing follows while an execution is paused', story, (event) =>
        isConsequence(event) && scopesBefore(event).size > 0 ? found(event) : null,
      ),
      ...violations('a pause is made once, and taken back once', story, (event) => {
        const isHeld = scopesBefore(event).has(textIn(event.payload, 'scope'));
        const isWrong = isHeld
          ? event.kind === 'ExecutionPaused'
          : event.kind === 'ExecutionResumed';
        return isWrong ? found(event) : null;
      }),
    ];
  });
}

/** A function may ask a person in a turn that it had when the pause came. */
function isConsequence({ kind, payload }: EventOf): boolean {
  const isAsked = kind === 'ApprovalRequested' && payload['step'] !== undefined;
  return CONSEQUENCES.has(kind) && !isAsked;
}

function isAboutPauses({ kind }: EventOf): boolean {
  return kind === 'ExecutionPaused' || kind === 'ExecutionResumed';
}

/** Tells of each event the scopes in which the execution was paused before it. */
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
    // A cancel is carried out, whatever was paused.
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
    ...violations('what is paused says so', paused, ({ id, status }) =>
      status === 'paused' ? null : { about: { execution: id }, saw: status },
    ),
    ...violations('nothing of what is paused is on a queue', paused, ({ id }) => {
      const items = queued.get(id) ?? [];
      if (items.length === 0) return null;
      return { about: { execution: id }, saw: `${items.length} items, ${items[0]?.node_id}` };
    }),
  ];
}

/** From the answer to a pause on, until somebody asks for a resumption, or for a cancel: it rolls back. */
function checkHandedOut(history: History): Violation[] {
  const ends = endsOfPauses(history);
  const pauses = Map.groupBy(
    deedsOf(history, 'pause').filter((deed) => success(deed) !== null),
    ({ asks }) => asks.executionId,
  );
  return violations('nothing of what is paused is handed out', claimsOf(history), (claim) => {
    const pause = pauses.get(claim.executionId)?.find((deed) => isBefore(deed, claim.deed));
    if (pause === undefined) return null;
    // One that is not over when the pause begins may be carried out after it.
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

/** Requests that may have ended pauses, by their executions. */
function endsOfPauses(history: History): ReadonlyMap<string, readonly Deed[]> {
  const deeds = [...deedsOf(history, 'resume'), ...deedsOf(history, 'cancel')];
  return Map.groupBy(
    deeds.filter((deed) => !wasRefused(deed)),
    ({ asks }) => asks.executionId,
  );
}

function checkAsked(dump: Dump, history: History): Violation[] {
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
  return violations('what was paused or resumed was to be', dump.events, (event) => {
    const { kind, execution_id: id } = event;
    if (kind !== 'ExecutionPaused' && kind !== 'ExecutionResumed') return null;
    if (textIn(event.payload, 'scope') !== 'execution') return null;
    // While finalizers or rollbacks run, a cancel takes back the pause that holds them up.
    const mayBeCancel =
      kind === 'ExecutionResumed' && (endings.get(id) ?? Infinity) < event.sequence;
    const deeds: readonly Deed[] = [
      ...(asked[kind].get(id) ?? []),
      ...(mayBeCancel ? (cancels.get(id) ?? []) : []),
    ];
    if (deeds.some((deed) => !wasRefused(deed))) return null;
    return { about: { execution: id }, saw: `${kind}, and ${deeds.length} requests` };
  });
}

/** Whatever breaks down, a pause that was answered stays, until somebody asks for its end. */
function checkKept(dump: Dump, history: History): Violation[] {
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
    ...violations('a pause that was answered is on record', pauses.keys(), (id) =>
      paused.has(id) ? null : { about: { execution: id }, saw: 'no event tells of it' },
    ),
    ...violations('a pause stays until it is taken back', reads, (read) => {
      const { executionId } = read.asks;
      const pause = pauses.get(executionId)?.find((deed) => isBefore(deed, read));
      const { status } = success(read) ?? {};
      if (pause === undefined || status === 'paused') return null;
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
