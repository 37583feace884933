import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import type { Dump, EventOf } from '../dump.ts';
import { ENDS, foldHistory, mergePatch, visitOf } from '../fold-history.ts';
import { originIdsOf, originsOf, patchedIn, retriedFrom, type Stories } from '../lineage.ts';
import { deedsOf, success, wasRefused, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * An execution that failed or was cancelled has at most one retry, which continues with the
 * recorded state and results.
 */
export function checkRetries(dump: Dump, history: History): Violation[] {
  const stories = byExecution(dump);
  const retries = [...stories.values()].flatMap(([first]) => {
    const from = retriedFrom(first);
    return first === undefined || from === null ? [] : [{ first, from }];
  });
  const asked = Map.groupBy(deedsOf(history, 'retry'), ({ asks }) => asks.executionId);
  return [
    ...checkOnce(retries, stories),
    ...violations('a retry was asked for', retries, ({ first, from }) => {
      const deeds = asked.get(from) ?? [];
      if (deeds.some((deed) => !wasRefused(deed))) return null;
      return { about: aboutRetry({ first, from }), saw: `${deeds.length} requests, all refused` };
    }),
    ...checkCarried(retries, { stories, asked }),
    ...violations('a retry repeats nothing that is recorded', repeatedIn(retries, stories), tell),
    ...violations(
      'a retry takes over completed items, and runs the others',
      itemsWrongIn(retries, { stories, patched: patchedIn(history) }),
      tell,
    ),
    ...checkTold(retries, history),
  ];
}

/** An execution that continues another: a retry, or a fork. */
export interface Continuing {
  readonly first: EventOf;
  readonly from: string;
}

export function aboutRetry({ first, from }: Continuing) {
  return { execution: first.execution_id, of: from };
}

interface Wrong {
  readonly retry: Continuing;
  readonly saw: string;
}

export function tell({ retry, saw }: Wrong) {
  return { about: aboutRetry(retry), saw };
}

function checkOnce(retries: readonly Continuing[], stories: Stories): Violation[] {
  const byOrigin = Map.groupBy(retries, ({ from }) => from);
  return [
    ...violations('an execution is retried once', byOrigin, ([from, found]) =>
      found.length === 1
        ? null
        : {
            about: { execution: from },
            saw: `as ${found.map(({ first }) => first.execution_id).join(' and ')}`,
          },
    ),
    ...violations('a retried execution has failed or was cancelled', retries, (retry) => {
      const end = stories.get(retry.from)?.at(-1)?.kind ?? 'nothing';
      if (end in ENDS && end !== 'WorkflowCompleted') return null;
      return { about: aboutRetry(retry), saw: `its last event is ${end}` };
    }),
  ];
}

function checkCarried(
  retries: readonly Continuing[],
  of: {
    readonly stories: Stories;
    readonly asked: ReadonlyMap<string, readonly DeedOf<'retry'>[]>;
  },
): Violation[] {
  return violations('a retry continues with the recorded state', retries, (retry) => {
    const { first, from } = retry;
    const left = foldHistory(of.stories.get(from) ?? []).acceptedState;
    const patches = (of.asked.get(from) ?? [])
      .filter((deed) => !wasRefused(deed) || deed.answer?.status === 409)
      .map(({ asks }) => asks.statePatch);
    const carried = first.payload['carried'];
    const state = isJsonObject(carried) ? carried['state'] : null;
    const mayBe: readonly JsonObject[] = patches.map((patch) => mergePatch(left, patch ?? {}));
    if (mayBe.some((one) => isDeepStrictEqual(one, state))) return null;
    return {
      about: aboutRetry(retry),
      saw: `left ${JSON.stringify(left)}, continues with ${JSON.stringify(state)}`,
    };
  });
}

/**
 * A retry, or a retry of a retry, never repeats a visit or a key with a recorded result. It enters
 * no completed node again unless another node led back to it. See `itemsWrongIn` for the items of
 * maps.
 */
export function repeatedIn(retries: readonly Continuing[], stories: Stories): readonly Wrong[] {
  const entered = retries.flatMap((retry) => {
    const before = recordedBefore(retry, stories);
    const own = new Set<string | null>();
    return (stories.get(retry.first.execution_id) ?? []).flatMap((event) => {
      if (event.payload['map'] !== undefined) return [];
      if (isOver(event)) own.add(event.node_id);
      return event.kind === 'NodeScheduled' ? [{ retry, event, before, own: new Set(own) }] : [];
    });
  });
  return entered.flatMap(({ retry, event, before, own }) => {
    const { idempotency_key: key, from } = event.payload;
    const led = Array.isArray(from) ? from.map(String) : [];
    const isAgain =
      before.visits.has(visitOf(event)) || (typeof key === 'string' && before.keys.has(key));
    const isDone = before.doneSince.get(event.node_id);
    const isLedBack = led.some(
      (node) => own.has(node) || (before.overAt.get(node) ?? -1) > (isDone ?? 0),
    );
    if (!isAgain && (isDone === undefined || isLedBack)) return [];
    return [{ retry, saw: `${visitOf(event)} is scheduled again` }];
  });
}

/**
 * In a map that begins again, no completed item runs again, unless a patch may have changed the
 * items. Each item that the map takes over has completed.
 */
export function itemsWrongIn(
  retries: readonly Continuing[],
  of: {
    readonly stories: Stories;
    /** Executions that a client asked to continue with a patch. */
    readonly patched: ReadonlySet<string>;
  },
): readonly Wrong[] {
  return retries.flatMap((retry) => {
    const done = itemsDone(originsOf(retry.first, of.stories));
    const isPatched = originIdsOf(retry.first, of.stories).some((id) => of.patched.has(id));
    return (of.stories.get(retry.first.execution_id) ?? []).flatMap((event) => {
      if (event.kind !== 'NodeScheduled') return [];
      const { map, carried_items: carried = [] } = event.payload;
      if (isJsonObject(map)) {
        const isDone = done.get(visitOfPlace(map))?.has(map['index']);
        const saw = `item ${JSON.stringify(map['index'])} of ${visitOfPlace(map)} is scheduled again`;
        return isDone === true && !isPatched ? [{ retry, saw }] : [];
      }
      const known = done.get(visitOf(event));
      return (Array.isArray(carried) ? carried : [])
        .filter((index) => known?.has(index) !== true)
        .map((index) => ({
          retry,
          saw: `${visitOf(event)} takes over item ${JSON.stringify(index)}`,
        }));
    });
  });
}

/** The same name as `visitOf` gives. */
export function visitOfPlace({ node_id: nodeId, visit }: JsonObject): string {
  return `${typeof nodeId === 'string' ? nodeId : ''}#${JSON.stringify(visit ?? null)}`;
}

/** The outputs of completed items, by map visit and by index. */
export function itemsDone(
  events: readonly EventOf[],
): ReadonlyMap<string, ReadonlyMap<unknown, JsonValue>> {
  const done = new Map<string, Map<unknown, JsonValue>>();
  const open = new Map<string, { readonly map: string; readonly index: unknown }>();
  for (const event of events) {
    const { map } = event.payload;
    const visit = `${event.execution_id} ${visitOf(event)}`;
    if (event.kind === 'NodeScheduled' && isJsonObject(map)) {
      open.set(visit, {
        map: visitOfPlace(map),
        index: map['index'],
      });
    }
    const item = event.kind === 'NodeCompleted' ? open.get(visit) : undefined;
    if (item === undefined) continue;
    const { output = null } = event.payload;
    done.set(item.map, (done.get(item.map) ?? new Map()).set(item.index, output));
  }
  return done;
}

interface Recorded {
  /** Keys of visits that have completed, or continued as another. */
  readonly keys: Set<string>;
  readonly visits: Set<string>;
  /**
   * By node: the position, among all events, at which its last visit began, if all its visits have
   * completed.
   */
  readonly doneSince: Map<string | null, number>;
  /** The position at which a visit of the node last ended. */
  readonly overAt: Map<string | null, number>;
}

interface OpenVisit {
  /** The position of its NodeScheduled among all events. */
  readonly at: number;
  readonly node: string | null;
  readonly key: string | null;
}

/** The results that all these executions have recorded. */
function recordedBefore(retry: Continuing, stories: Stories): Recorded {
  const recorded: Recorded = {
    keys: new Set(),
    visits: new Set(),
    doneSince: new Map(),
    overAt: new Map(),
  };
  const open = new Map<string, OpenVisit>();
  for (const [at, event] of originsOf(retry.first, stories).entries()) {
    if (event.payload['map'] !== undefined) continue;
    const { kind, node_id: node, payload } = event;
    const visit = visitOf(event);
    if (isOver(event)) recorded.overAt.set(node, at);
    if (kind === 'NodeScheduled') {
      const key = payload['idempotency_key'];
      open.set(visit, { at, node, key: typeof key === 'string' ? key : null });
      recorded.doneSince.delete(node);
    }
    const continued = kind === 'NodeContinuedAsNew' ? open.get(visit) : undefined;
    if (continued !== undefined) addTo(recorded, { ...continued, visit });
    if (continued !== undefined) open.delete(visit);
    const completed = kind === 'NodeCompleted' ? open.get(visit) : undefined;
    if (completed === undefined) continue;
    addTo(recorded, { ...completed, visit });
    open.delete(visit);
    // If another visit of the node is under way, the node begins again.
    if (![...open.values()].some((other) => other.node === node)) {
      recorded.doneSince.set(node, completed.at);
    }
  }
  return recorded;
}

function addTo(
  { visits, keys }: Recorded,
  { visit, key }: { readonly visit: string; readonly key: string | null },
): void {
  visits.add(visit);
  if (key !== null) keys.add(key);
}

function isOver({ kind, payload }: EventOf): boolean {
  if (kind === 'NodeFailed') return payload['retryable'] !== true;
  return kind === 'NodeCompleted' || kind === 'NodeSkipped';
}

/** Every answer names the one retry, whether this request or an earlier one began it. */
function checkTold(retries: readonly Continuing[], history: History): Violation[] {
  const known = new Map(retries.map(({ first, from }) => [first.execution_id, from]));
  const told = deedsOf(history, 'retry').flatMap((deed) => {
    const { retried_as: as } = deed.answer?.body ?? {};
    const id = success(deed)?.['execution_id'] ?? as;
    return typeof id === 'string' ? [{ deed, id }] : [];
  });
  return violations('a retry in an answer exists', told, ({ deed, id }) => {
    const { executionId } = deed.asks;
    if (known.get(id) === executionId) return null;
    return {
      about: { execution: executionId, deed: deed.begun },
      saw: `${id} was named, which is of ${known.get(id) ?? 'nothing'}`,
    };
  });
}
