import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { textIn, type EventOf } from './dump.ts';
import { beginVisit, checkFollowed, continueAsNew } from './fold-continuations.ts';
import { ENDS, visitOf } from './fold-history.ts';
import type { Violation } from './violation.ts';
import { ranBy, turnClock, type FunctionClock } from './function-clock.ts';
import { createFacts, type Facts, type OpenWait } from './function-facts.ts';

/**
 * Visits of durable functions, folded from the events of one execution, and the rules that these
 * events break. The fold follows the page about the protocol and shares no code with the product's
 * own.
 */
export interface FoldedFunctions {
  readonly visits: ReadonlyMap<string, FunctionVisit>;
  readonly broken: readonly Violation[];
}

export interface FunctionVisit {
  /** The newest of its items; empty: a budget holds it before its first turn. */
  workItemId: string;
  /** An approval of a budget gives the visit another item. */
  readonly items: Set<string>;
  readonly nodeId: string;
  readonly number: number;
  /** The input with which the visit before continued; null: this visit continues none. */
  readonly input: JsonValue;
  /** The visit belongs to an item of a map. */
  readonly isItem: boolean;
  /** The visit replaces one that continued as new. */
  readonly isNext: boolean;
  readonly entries: RecordedEntry[];
  /** Null: its time always counts, or has no limit. */
  clock: FunctionClock | null;
  turn: number;
  attempt: number;
  mode: 'run' | 'rollback';
  /** Compensations that are registered and have not run, in the order of registration. */
  owed: readonly string[];
  readonly waits: Map<string, OpenWait>;
  /** Set if the visit continued as new: the next input, and the children that it waited for. */
  continued: { readonly input: JsonValue; readonly children: readonly string[] } | null;
  hasCompleted: boolean;
  /** Another visit replaces this one. */
  isFollowed: boolean;
  place: 'at work' | 'suspended' | 'answered' | 'failed' | 'rolls back' | 'continued' | 'over';
}

/** An entry of a journal, with data from the event that holds it. */
export interface RecordedEntry {
  readonly entry: JsonObject;
  readonly identity: string;
  readonly turn: number;
  readonly actor: string;
  readonly isCarried: boolean;
}

export const FUNCTION_RULES = {
  end: 'nothing is recorded after the end of a visit',
  gap: 'the entries of a journal have no gaps',
  twice: 'an identity is recorded once in a visit',
  turn: 'entries and suspensions belong to the current turn',
  source: 'the entry of a wait matches the fact that satisfied it',
  order: 'compensations run once, the last one first',
  back: 'a suspended function resumes once, for a satisfied wait',
  count: 'turns and attempts of a function have no gaps',
  rollback: 'a rollback is over when every compensation has run',
  after: 'an execution ends after its rollbacks',
  continue: 'a function continues in a turn of its own, and owes nothing',
  clock: 'a time limit that stops with its function runs out after its time on queues and at work',
  next: 'one visit follows where a function continued, with an empty journal',
} as const;

export type Break = (rule: keyof typeof FUNCTION_RULES, saw: string) => void;

export function foldFunctions(story: readonly EventOf[]): FoldedFunctions {
  const last = story.at(-1);
  const known = last === undefined ? undefined : folds.get(last);
  if (known !== undefined && known.length === story.length) return known.folded;
  const folded = fold(story);
  if (last !== undefined) folds.set(last, { length: story.length, folded });
  return folded;
}

const folds = new WeakMap<EventOf, { readonly length: number; readonly folded: FoldedFunctions }>();

function fold(story: readonly EventOf[]): FoldedFunctions {
  const visits = new Map<string, FunctionVisit>();
  const broken: Violation[] = [];
  const facts = createFacts(story);
  for (const event of story) {
    const { execution_id: execution, sequence, kind, payload } = event;
    const name = visitOf(event);
    const fail: Break = (rule, saw) =>
      broken.push({ rule: FUNCTION_RULES[rule], about: { execution, sequence, visit: name }, saw });
    if (kind === 'NodeScheduled' && payload['node_kind'] === 'function') {
      visits.set(name, beginVisit(event, { visits, first: story[0], fail }));
      continue;
    }
    facts.note(event);
    const visit = visits.get(name);
    if (visit !== undefined) {
      visit.clock = turnClock(visit.clock, event);
      RULES[kind]?.(visit, { event, facts, fail });
    }
    if (visit === undefined && kind in ENDS) {
      checkFollowed(event, visits.values(), fail);
      endAll(visits.values(), fail);
    }
  }
  return { visits, broken };
}

function endAll(visits: Iterable<FunctionVisit>, fail: Break): void {
  for (const { place, owed } of visits) {
    if (place !== 'over' && owed.length > 0) fail('after', `left were ${owed.join(', ')}`);
  }
}

interface Told {
  readonly event: EventOf;
  readonly facts: Facts;
  readonly fail: Break;
}

const RULES: Readonly<Record<string, (visit: FunctionVisit, told: Told) => void>> = {
  StepRecorded: record,
  NodeSuspended: suspend,
  NodeResumed: resume,
  RetryScheduled: retry,
  ApprovalRequested: holdRetry,
  RollbackScheduled: rollBack,
  NodeContinuedAsNew: continueAsNew,
  NodeFailed: failed,
  NodeCancelled: cancelled,
  TimerFired: ({ clock }, { event, fail }) => {
    if (event.payload['purpose'] !== 'function_timeout' || clock === null) return;
    const ran = ranBy(clock, event.created_at);
    if (ran < clock.limitMs) fail('clock', `after ${ran} of ${clock.limitMs} ms`);
  },
  NodeCompleted: (visit, { fail }) => {
    if (isOver(visit)) fail('end', 'NodeCompleted');
    if (visit.mode === 'rollback') fail('rollback', 'it completed');
    visit.place = 'over';
    visit.hasCompleted = true;
  },
};

function record(visit: FunctionVisit, told: Told): void {
  const { event, fail } = told;
  const { payload, actor_id: actor } = event;
  const isCarried = payload['carried'] === true;
  if (isOver(visit)) fail('end', 'StepRecorded');
  if (isCarried && visit.isNext) fail('next', 'it takes over a journal');
  const isAway = actor.startsWith('worker:') && visit.place !== 'at work';
  if (payload['turn'] !== visit.turn || isAway) {
    fail('turn', `turn ${shown(payload['turn'])}, it was ${visit.turn}, ${visit.place}`);
  }
  if (payload['position'] !== visit.entries.length) {
    fail('gap', `at ${shown(payload['position'])} of ${visit.entries.length}`);
  }
  for (const entry of objectsIn(payload, 'entries')) {
    const identity = textIn(entry, 'identity');
    if (visit.entries.some((one) => one.identity === identity)) fail('twice', identity);
    visit.entries.push({ entry, identity, turn: visit.turn, actor, isCarried });
    if (isCarried) visit.owed = owedAfter(visit.owed, entry);
    else take(visit, entry, told);
  }
}

/** Nothing more may be recorded in the visit. */
function isOver({ place }: FunctionVisit): boolean {
  return place === 'over' || place === 'continued';
}

function take(visit: FunctionVisit, entry: JsonObject, { event, facts, fail }: Told): void {
  const identity = textIn(entry, 'identity');
  const kind = textIn(entry, 'kind');
  if (kind === 'rollback' && identity !== `${ROLLBACK}${visit.owed.at(-1) ?? ''}`) {
    fail('order', `${identity} ran, owed were ${visit.owed.join(', ') || 'none'}`);
  }
  visit.owed = owedAfter(visit.owed, entry);
  if (!WAITED_FOR.has(kind)) return;
  const wait = visit.waits.get(identity);
  visit.waits.delete(identity);
  const is = wait !== undefined && wait.kind === kind && facts.satisfies(event, { wait, entry });
  if (!is) fail('source', `${JSON.stringify(entry)} for ${JSON.stringify(wait)}`);
  if (visit.place === 'suspended') visit.place = 'answered';
}

const ROLLBACK = 'rollback/';
const WAITED_FOR = new Set(['timer', 'event', 'approval', 'child']);

function owedAfter(owed: readonly string[], entry: JsonObject): readonly string[] {
  const identity = textIn(entry, 'identity');
  if (entry['kind'] === 'on_rollback') return [...owed, identity];
  if (entry['kind'] !== 'rollback') return owed;
  return owed.filter((one) => `${ROLLBACK}${one}` !== identity);
}

function suspend(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (isOver(visit)) fail('end', 'NodeSuspended');
  if (payload['turn'] !== visit.turn || visit.place !== 'at work') {
    fail('turn', `turn ${shown(payload['turn'])}, it was ${visit.turn}, ${visit.place}`);
  }
  const waits = objectsIn(payload, 'waits');
  for (const wait of waits) {
    const identity = textIn(wait, 'identity');
    const isRecorded = visit.entries.some((one) => one.identity === identity);
    if (visit.waits.has(identity) || isRecorded) continue;
    visit.waits.set(identity, {
      identity,
      kind: textIn(wait, 'kind'),
      key: textIn(wait, 'correlation_key'),
      childId: textIn(wait, 'child_execution_id'),
      error: wait['error'] ?? null,
    });
  }
  // A suspension without waits only ends the turn.
  if (waits.length === 0) visit.place = 'answered';
  else if (payload['resumed'] !== true) visit.place = 'suspended';
}

function resume(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (payload['budget_account'] !== undefined) return resumeGranted(visit, { payload, fail });
  if (visit.place !== 'answered') fail('back', `it was ${visit.place}`);
  goOn(visit, { turn: payload['turn'], attempt: visit.attempt, fail });
}

/** An approval of the budget puts the visit on its queue, as another item. */
function resumeGranted(
  visit: FunctionVisit,
  { payload, fail }: { readonly payload: JsonObject; readonly fail: Break },
): void {
  const hasBegun = visit.workItemId !== '';
  if (hasBegun && visit.place !== 'failed' && visit.place !== 'answered') {
    fail('back', `its budget was granted while it was ${visit.place}`);
  }
  visit.workItemId = textIn(payload, 'work_item_id');
  visit.items.add(visit.workItemId);
  if (hasBegun) visit.turn += 1;
  visit.place = 'at work';
}

function retry(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (visit.place !== 'failed') fail('count', `tried again while ${visit.place}`);
  if (payload['attempt'] !== visit.attempt + 1) {
    fail('count', `attempt ${shown(payload['attempt'])} after ${visit.attempt}`);
  }
  goOn(visit, { turn: visit.turn + 1, attempt: visit.attempt + 1, fail });
}

/** A budget holds the next attempt. */
function holdRetry(visit: FunctionVisit, { event: { payload } }: Told): void {
  if (payload['step'] === undefined && visit.place === 'failed') visit.attempt += 1;
}

function rollBack(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (visit.place !== 'rolls back') fail('rollback', `it began while ${visit.place}`);
  if (!isDeepStrictEqual(payload['compensations'], visit.owed.toReversed())) {
    fail('order', `${shown(payload['compensations'])}, owed were ${visit.owed.join(', ')}`);
  }
  if (payload['attempt'] !== 0) fail('count', `attempt ${shown(payload['attempt'])} of a rollback`);
  visit.waits.clear();
  goOn(visit, { turn: payload['turn'], attempt: 0, fail });
}

function goOn(
  visit: FunctionVisit,
  of: { readonly turn: JsonValue | undefined; readonly attempt: number; readonly fail: Break },
): void {
  if (of.turn !== visit.turn + 1) of.fail('count', `turn ${shown(of.turn)} after ${visit.turn}`);
  visit.turn += 1;
  visit.attempt = of.attempt;
  visit.place = 'at work';
}

function failed(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (isOver(visit)) fail('end', 'NodeFailed');
  if (payload['attempt'] !== visit.attempt) {
    fail('count', `attempt ${shown(payload['attempt'])} failed, it was ${visit.attempt}`);
  }
  if (payload['retryable'] === true) visit.place = 'failed';
  else endOrRollBack(visit, { isRolledBack: payload['rolled_back'] === true, is: 'failed', fail });
}

function cancelled(visit: FunctionVisit, { event: { payload }, fail }: Told): void {
  if (visit.place === 'over') fail('end', 'NodeCancelled');
  const isRolledBack = payload['rolled_back'] === true;
  endOrRollBack(visit, { isRolledBack, is: 'cancelled', fail });
}

/** A rollback that fails permanently is over. A rollback that is cancelled starts again. */
function endOrRollBack(
  visit: FunctionVisit,
  of: {
    readonly isRolledBack: boolean;
    readonly is: 'failed' | 'cancelled';
    readonly fail: Break;
  },
): void {
  const isOwed = visit.owed.length > 0;
  if (of.isRolledBack && isOwed) of.fail('rollback', `left were ${visit.owed.join(', ')}`);
  const isGivenUp = of.is === 'failed' && visit.mode === 'rollback';
  visit.place = isOwed && !of.isRolledBack && !isGivenUp ? 'rolls back' : 'over';
  if (visit.place === 'rolls back') visit.mode = 'rollback';
}

export function objectsIn(payload: JsonObject, name: string): readonly JsonObject[] {
  const value = payload[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function shown(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null);
}
