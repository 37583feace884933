import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import type { Dump, EventOf } from '../dump.ts';
import { ENDS, foldHistory, owedAfter, visitOf, type Folded } from '../fold-history.ts';
import { deedsOf, isBefore, success, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Checks that the events of executions match the rows and the answers about them. */
export function checkHistories(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const events = byExecution(last);
  return [
    ...dumps.flatMap(checkRows),
    ...dumps.slice(1).flatMap((dump, index) => checkPrefix(dumps[index] ?? dump, dump)),
    ...dumps.slice(1).flatMap((dump, index) => checkRecords(dumps[index] ?? dump, dump)),
    ...checkReads(events, history),
    ...checkStatesRead(events, history),
    ...checkEventReads(events, history),
  ];
}

export function byExecution(dump: Dump): ReadonlyMap<string, readonly EventOf[]> {
  const known = grouped.get(dump.events);
  if (known !== undefined) return known;
  const stories = Map.groupBy(dump.events, (event) => event.execution_id);
  grouped.set(dump.events, stories);
  return stories;
}

const grouped = new WeakMap<Dump['events'], ReadonlyMap<string, readonly EventOf[]>>();

function checkRows(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const rows = new Map(dump.executions.map((row) => [row.id, row]));
  return [
    ...violations('every event belongs to an execution', events.keys(), (id) =>
      rows.has(id) ? null : { about: { execution: id }, saw: 'events without an execution' },
    ),
    ...dump.executions.flatMap((row) => {
      const story = events.get(row.id) ?? [];
      const about = { execution: row.id, tenant: row.tenant_id, workflow: row.workflow_id };
      const kinds = story.map(({ kind }) => kind);
      const ends = kinds.filter((kind) => kind in ENDS);
      const { ended } = foldHistory(story);
      const expect = (rule: string, holds: boolean): Violation[] =>
        holds ? [] : [{ rule, about, saw: tell(story, row.status, row.last_sequence) }];
      return [
        ...expect(
          'sequences run from 1 without gaps, up to the last of the row',
          story.every(({ sequence }, index) => sequence === index + 1) &&
            row.last_sequence === story.length,
        ),
        ...expect(
          'the first event, and no other, is WorkflowStarted',
          kinds.lastIndexOf('WorkflowStarted') === 0,
        ),
        ...expect(
          'at most one event ends an execution, and it is the last',
          ends.length === 0 || (ends.length === 1 && ends[0] === kinds.at(-1)),
        ),
        ...expect(
          'the status matches the events',
          ended === null ? !isTerminal(row.status) : row.status === ended,
        ),
        ...expect('an execution ends as its WorkflowEnding says', isEndBegun(story, ended)),
        ...expect(
          'timestamps of a history never decrease',
          story.every(({ created_at: at }, index) => at >= (story[index - 1]?.created_at ?? at)),
        ),
        ...expect(
          'a visit is scheduled once, and ends once',
          ['NodeScheduled', 'NodeContinuedAsNew', 'NodeCompleted'].every((kind) =>
            isOnce(story, kind),
          ),
        ),
        ...expect('a visit ends in one way, and after it began', isOverOnce(story)),
        ...expect(
          'an approval is decided once',
          isAnswered(story, { asks: 'ApprovalRequested', answers: 'ApprovalReceived' }),
        ),
        ...expect(
          'a timer fires once',
          isAnswered(story, { asks: 'TimerStarted', answers: 'TimerFired' }),
        ),
      ];
    }),
  ];
}

function isTerminal(status: unknown): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Finalizers and rollbacks run before the end. If a finalizer fails, the execution fails. */
function isEndBegun(story: readonly EventOf[], ended: Folded['ended']): boolean {
  const begun = story.filter(({ kind }) => kind === 'WorkflowEnding');
  const outcome = begun[0]?.payload['outcome'] ?? ended;
  const isIt = ended === outcome || (outcome === 'completed' && ended === 'failed');
  return begun.length < 2 && (ended === null || isIt);
}

function isOnce(story: readonly EventOf[], kind: string): boolean {
  const visits = story.filter((event) => event.kind === kind).map(visitOf);
  return new Set(visits).size === visits.length;
}

function isOverOnce(story: readonly EventOf[]): boolean {
  const live = new Set<string>();
  const followed = rollbacksIn(story);
  const undos = new Set<string>();
  return story.every((event) => {
    if (event.kind === 'NodeScheduled') {
      const { continues } = event.payload;
      const isNext = continues !== undefined;
      live.add(visitOf(event));
      if (event.payload['undoes'] !== undefined) undos.add(visitOf(event));
      return !isNext || live.delete(visitOf({ ...event, payload: { visit: continues } }));
    }
    // A failed undo waits for a person, who may put its item back.
    const isHeld = event.kind === 'NodeFailed' && undos.has(visitOf(event));
    if (followed.has(event) || isHeld) return live.has(visitOf(event));
    const isEnd =
      event.kind === 'NodeCompleted' ||
      event.kind === 'NodeCancelled' ||
      (event.kind === 'NodeFailed' && event.payload['retryable'] !== true);
    return !isEnd || live.delete(visitOf(event));
  });
}

/** Every answer has a question, and each question of a visit has at most one answer. */
function isAnswered(
  story: readonly EventOf[],
  kinds: { readonly asks: string; readonly answers: string },
): boolean {
  const open = new Set<string>();
  return story.every((event) => {
    if (event.kind === kinds.asks) open.add(questionOf(event));
    if (event.kind !== kinds.answers || isOfWait(event)) return true;
    return open.delete(questionOf(event));
  });
}

/** The key of a question of a visit, or of one wait of a durable function. */
function questionOf(event: EventOf): string {
  const { step } = event.payload;
  return typeof step === 'string' ? `${visitOf(event)} ${step}` : visitOf(event);
}

/** The suspension has started the timer, without an event; see `foldFunctions`. */
function isOfWait({ kind, payload }: EventOf): boolean {
  return kind === 'TimerFired' && payload['step'] !== undefined;
}

/** Outcomes that compensations follow: the visit is not over yet. */
function rollbacksIn(story: readonly EventOf[]): ReadonlySet<EventOf> {
  const last = new Map<string, EventOf>();
  const owed = new Map<string, readonly string[]>();
  return new Set(
    story.flatMap((event) => {
      const { kind, payload } = event;
      const visit = visitOf(event);
      if (kind === 'StepRecorded') {
        owed.set(visit, owedAfter(owed.get(visit) ?? [], payload['entries']));
      }
      const isOutcome = kind === 'NodeCancelled' || kind === 'NodeFailed';
      if (isOutcome && payload['retryable'] !== true) {
        const before = last.get(visit);
        last.set(visit, event);
        // The cancel came before the rollback of the failure began.
        const owes = (owed.get(visit) ?? []).length > 0;
        if (before !== undefined && kind === 'NodeCancelled' && owes) return [before];
      }
      const outcome = kind === 'RollbackScheduled' ? last.get(visitOf(event)) : undefined;
      if (outcome === undefined) return [];
      last.delete(visitOf(event));
      return [outcome];
    }),
  );
}

function tell(story: readonly EventOf[], status: string, lastSequence: number): string {
  const told = story.map(
    ({ sequence, kind, node_id: nodeId }) => `${sequence} ${kind}${nodeId ? ` ${nodeId}` : ''}`,
  );
  return `${status}, last sequence ${lastSequence}: ${told.join(', ')}`;
}

/** Recorded events never change. */
function checkPrefix(earlier: Dump, later: Dump): Violation[] {
  const now = byExecution(later);
  return violations('a history only grows', byExecution(earlier).entries(), ([id, before]) => {
    const story = now.get(id) ?? [];
    if (before.every((event, index) => isDeepStrictEqual(event, story[index]))) return null;
    return { about: { execution: id }, saw: `events read earlier have changed` };
  });
}

function checkRecords(earlier: Dump, later: Dump): Violation[] {
  const nameOf = (row: Dump['recorded_outputs'][number]): string =>
    `${row.execution_id} ${row.idempotency_key}`;
  const now = new Map(later.recorded_outputs.map((row) => [nameOf(row), row]));
  return violations('a recorded output never changes', earlier.recorded_outputs, (before) => {
    const after = now.get(nameOf(before));
    if (isDeepStrictEqual(after, before)) return null;
    return {
      about: { execution: before.execution_id, key: before.idempotency_key },
      saw: `event ${before.event_sequence} first, ${after?.event_sequence ?? 'none'} afterwards`,
    };
  });
}

/** An answer shows the state after some prefix of the events. */
function checkReads(
  events: ReadonlyMap<string, readonly EventOf[]>,
  history: History,
): Violation[] {
  return violations(
    'a read shows the fold of the events up to some moment',
    deedsOf(history, 'read'),
    (deed) => {
      const body = success(deed);
      const story = events.get(deed.asks.executionId) ?? [];
      if (body === null) return null;
      const { status, state, steps_executed: steps } = body;
      const shown = prefixesOf(story).some(
        (folded) =>
          folded.stepsExecuted === steps &&
          (folded.ended ?? 'live') === (isTerminal(status) ? status : 'live') &&
          isDeepStrictEqual(folded.state, state),
      );
      if (shown) return null;
      const fold = foldHistory(story);
      return {
        about: { execution: deed.asks.executionId, deed: deed.begun },
        saw: `read ${JSON.stringify(body)}, the last fold is ${JSON.stringify({ ...fold, openItems: [...fold.openItems.keys()] })}`,
      };
    },
  );
}

/** The state as it was after an event, and who set its keys, are what the events up to it say. */
function checkStatesRead(
  events: ReadonlyMap<string, readonly EventOf[]>,
  history: History,
): Violation[] {
  const reads = deedsOf(history, 'read_state').filter((deed) => success(deed) !== null);
  const about = ({ asks, begun }: DeedOf<'read_state'>) => ({
    execution: asks.executionId,
    sequence: asks.sequence,
    deed: begun,
  });
  const statesOf = ({ asks }: DeedOf<'read_state'>): readonly JsonObject[] => {
    const story = events.get(asks.executionId) ?? [];
    return [{}, ...prefixesOf(story).map(({ state }) => state)].slice(0, asks.sequence + 1);
  };
  return [
    ...violations('a state as it was is the fold of the events up to then', reads, (deed) => {
      const state = statesOf(deed).at(-1);
      const { state: read } = success(deed) ?? {};
      if (isDeepStrictEqual(read, state)) return null;
      return {
        about: about(deed),
        saw: `read ${JSON.stringify(read)}, the fold is ${JSON.stringify(state)}`,
      };
    }),
    ...violations('a key has had its value since the event that set it', reads, (deed) => {
      const setBy = success(deed)?.['set_by'];
      const states = statesOf(deed);
      const last = states.at(-1) ?? {};
      const wrong = Object.keys(last).filter((key) => {
        const by = isJsonObject(setBy) ? Number(setBy[key]) : NaN;
        const setter = events.get(deed.asks.executionId)?.[by - 1];
        if (by >= states.length || setter === undefined || !SETS_STATE.has(setter.kind))
          return true;
        return states.slice(by).some((state) => !isDeepStrictEqual(state[key], last[key]));
      });
      if (wrong.length === 0) return null;
      return { about: about(deed), saw: `${wrong.join(', ')} by ${JSON.stringify(setBy)}` };
    }),
  ];
}

/** Kinds of events that can change the state of an execution. */
const SETS_STATE = new Set([
  'WorkflowStarted',
  'BatchClosed',
  'NodeCompleted',
  'NodeResumed',
  'RetryScheduled',
]);

/** The fold after each event. */
function prefixesOf(story: readonly EventOf[]): readonly Folded[] {
  const known = prefixes.get(story);
  if (known !== undefined) return known;
  const folds = story.map((_, index) => foldHistory(story.slice(0, index + 1)));
  prefixes.set(story, folds);
  return folds;
}

const prefixes = new WeakMap<readonly EventOf[], readonly Folded[]>();

/** Every answer is a prefix of the history, and a later answer is never shorter. */
function checkEventReads(
  events: ReadonlyMap<string, readonly EventOf[]>,
  history: History,
): Violation[] {
  const reads = deedsOf(history, 'read_events').filter((deed) => success(deed) !== null);
  const follows = deedsOf(history, 'follow').filter((deed) => success(deed) !== null);
  const others = Map.groupBy(reads, ({ asks }) => asks.executionId);
  return [
    ...violations('a read of events shows a prefix of the history', reads, (deed) => {
      const story = events.get(deed.asks.executionId) ?? [];
      const told = shownOf(deed);
      if (isPrefix(told, story)) return null;
      return {
        about: { execution: deed.asks.executionId, deed: deed.begun },
        saw: `read ${told.length} events that are not the first of ${story.length}`,
      };
    }),
    ...violations('a followed execution shows each event once, to its end', follows, (deed) => {
      const { executionId } = deed.asks;
      const told = shownOf(deed);
      const story = events.get(executionId) ?? [];
      if (told.length === story.length && isPrefix(told, story)) return null;
      const sequences = told.map(({ sequence }) => sequence).join(' ');
      return {
        about: { execution: executionId, deed: deed.begun },
        saw: `the events ${sequences}, of ${story.length}`,
      };
    }),
    ...violations('a later read of events is never shorter', reads, (deed) => {
      const lost = others
        .get(deed.asks.executionId)
        ?.find(
          (earlier) => isBefore(earlier, deed) && shownOf(earlier).length > shownOf(deed).length,
        );
      if (lost === undefined) return null;
      return {
        about: { execution: deed.asks.executionId, earlier: lost.begun, later: deed.begun },
        saw: `${shownOf(lost).length} events first, ${shownOf(deed).length} afterwards`,
      };
    }),
  ];
}

function isPrefix(told: readonly Record<string, unknown>[], story: readonly EventOf[]): boolean {
  return told.every((event, index) => {
    const kept = story[index];
    return (
      kept !== undefined &&
      kept.sequence === event['sequence'] &&
      kept.kind === event['kind'] &&
      kept.node_id === event['node_id'] &&
      isDeepStrictEqual(kept.payload, event['payload'])
    );
  });
}

function shownOf(deed: DeedOf<'read_events' | 'follow'>): readonly Record<string, unknown>[] {
  const { events } = success(deed) ?? {};
  return Array.isArray(events) ? (events as Record<string, unknown>[]) : [];
}
