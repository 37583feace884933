import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { takingsIn } from './check-events-taken.ts';
import { byExecution } from './check-histories.ts';
import { itemsDone, itemsWrongIn, repeatedIn, tell, visitOfPlace } from './check-retries.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { foldHistory, mergePatch, visitOf } from '../fold-history.ts';
import {
  actorOf,
  deedsOf,
  isBefore,
  success,
  wasRefused,
  type DeedOf,
  type ForkedAt,
  type History,
} from '../history.ts';
import {
  forkedFrom,
  keptAt,
  originsOf,
  patchedIn,
  retriedFrom,
  type ForkPoint,
  type Stories,
} from '../lineage.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * A fork is a new execution that keeps what another one recorded up to a point, and runs the rest. It
 * changes nothing of its original, and both name each other.
 */
export function checkForks(dump: Dump, history: History): Violation[] {
  const stories = byExecution(dump);
  const all = [...stories.values()].flatMap(([first]) => {
    const point = forkedFrom(first);
    return first === undefined || point === null ? [] : [{ first, ...point }];
  });
  const asked = Map.groupBy(deedsOf(history, 'fork'), actorOf);
  // Nobody saw the end of some originals that retention removed.
  const forks = all.flatMap((fork) => {
    const original = stories.get(fork.from);
    if (original === undefined) return [];
    return [{ ...fork, original, kept: keptAt(original, fork.sequence) }];
  });
  return [
    ...checkAsked(forks, { asked, history }),
    ...checkKept(forks, { stories, asked, history }),
    ...checkRuns(forks, { stories, asked }),
    ...checkUndone(forks, stories),
    ...checkApart(all, { dump, stories, asked }),
    ...checkNamed(all, { dump, history }),
  ];
}

interface Fork extends ForkPoint {
  readonly first: EventOf;
  /** Its whole history. */
  readonly original: readonly EventOf[];
  /** The events that the fork keeps. */
  readonly kept: readonly EventOf[];
}

/** By the actor that the first event of the fork names. */
type Asked = ReadonlyMap<string, readonly DeedOf<'fork'>[]>;

interface Of {
  readonly stories: Stories;
  readonly asked: Asked;
}

function requestsOf({ first, from }: Pick<Fork, 'first' | 'from'>, asked: Asked) {
  const deeds = asked.get(first.actor_id) ?? [];
  return deeds.filter((deed) => deed.asks.executionId === from && !wasRefused(deed));
}

function about({ first, from, sequence }: Pick<Fork, 'first' | 'from' | 'sequence'>) {
  return { execution: first.execution_id, of: from, after: sequence };
}

function checkAsked(
  forks: readonly Fork[],
  { asked, history }: { readonly asked: Asked; readonly history: History },
): Violation[] {
  return violations('a fork begins at the point that was asked for', forks, (fork) => {
    const deeds = requestsOf(fork, asked);
    const isAsked = deeds.some(({ asks, begun }) =>
      isAt(asks.at, fork, readBefore(begun, history)),
    );
    if (isAsked) return null;
    return { about: about(fork), saw: JSON.stringify(deeds.map(({ asks }) => asks.at)) };
  });
}

/** How many events of each execution an answer had shown by then. */
function readBefore(begun: number, history: History): ReadonlyMap<string, number> {
  const shown = new Map<string, number>();
  for (const { asks, ended, answer } of deedsOf(history, 'read_events')) {
    const events = answer?.body['events'];
    if (ended === null || ended > begun || !Array.isArray(events)) continue;
    shown.set(asks.executionId, Math.max(shown.get(asks.executionId) ?? 0, events.length));
  }
  return shown;
}

function isAt(
  at: ForkedAt,
  { original, sequence, nodeId, from }: Fork,
  known: ReadonlyMap<string, number>,
): boolean {
  if (sequence > original.length) return false;
  if ('sequence' in at) return at.sequence === sequence && nodeId === null;
  const isIt = (event: EventOf | undefined): boolean =>
    event?.node_id === at.nodeId && (at.visit === null || event.payload['visit'] === at.visit);
  const next = original[sequence];
  if (nodeId !== at.nodeId) return false;
  if (at.items === 'all') return next?.kind === 'NodeScheduled' && isIt(next);
  // The map had not ended at the point, and its end or the end of the history followed.
  const before = original.slice(0, sequence).filter(isIt);
  const begun = before.findLast(({ kind }) => kind === 'NodeScheduled');
  if (begun === undefined || before.some((event) => isOverIn(event, begun))) return false;
  return (next !== undefined && isOverIn(next, begun)) || sequence >= (known.get(from) ?? 0);
}

function isOverIn(event: EventOf, begun: EventOf): boolean {
  return visitOf(event) === visitOf(begun) && OVER.has(event.kind);
}

const OVER = new Set([
  'NodeCompleted',
  'NodeCancelled',
  'NodeContinuedAsNew',
  'NodeFailed',
  'NodeSkipped',
]);

/** Every result up to the point is in the fork as it was recorded, and nothing that came later. */
function checkKept(forks: readonly Fork[], of: Of & { readonly history: History }): Violation[] {
  const { stories, asked, history } = of;
  return [
    ...violations('a fork begins with the state at its point', forks, (fork) => {
      const left = foldHistory(fork.kept).acceptedState;
      const state = carriedIn(fork.first)['state'];
      const mayBe = requestsOf(fork, asked).map(({ asks }) =>
        mergePatch(left, asks.statePatch ?? {}),
      );
      if (mayBe.some((one) => isDeepStrictEqual(one, state))) return null;
      const saw = `${JSON.stringify(state)}, the state was ${JSON.stringify(left)}`;
      return { about: about(fork), saw };
    }),
    ...violations('a fork keeps the events that no node has taken', forks, (fork) => {
      const left = untakenIn(fork.kept);
      const { mailbox = [] } = carriedIn(fork.first);
      if (isDeepStrictEqual(mailbox, left)) return null;
      return { about: about(fork), saw: `${JSON.stringify(mailbox)}, ${JSON.stringify(left)}` };
    }),
    ...violations('a fork repeats nothing that it keeps', repeatedIn(forks, stories), tell),
    ...violations(
      'a fork keeps completed items, and runs the others',
      itemsWrongIn(forks, { stories, patched: patchedIn(history) }),
      tell,
    ),
    ...violations(
      'the kept items of a map have the recorded outputs',
      keptItemsIn(forks, stories),
      ({ fork, recorded, output }) =>
        isDeepStrictEqual(recorded, output)
          ? null
          : {
              about: about(fork),
              saw: `${JSON.stringify(output)}, recorded was ${JSON.stringify(recorded)}`,
            },
    ),
  ];
}

function carriedIn({ payload: { carried } }: EventOf): JsonObject {
  return isJsonObject(carried) ? carried : {};
}

/** As a first event carries them. */
function untakenIn(story: readonly EventOf[]): readonly JsonValue[] {
  const taken = new Set(story.flatMap(takingsIn).map(({ from }) => from));
  const [first] = story;
  const { mailbox } = first === undefined ? {} : carriedIn(first);
  const earlier = Array.isArray(mailbox) ? mailbox : [];
  return [
    ...earlier.filter((_, index) => !taken.has(index - earlier.length)),
    ...story.flatMap(({ kind, sequence, payload }): JsonValue[] => {
      if (kind !== 'ExternalEventReceived' || taken.has(sequence)) return [];
      const { correlation_key: key = null, payload: sent = null } = payload;
      return [{ correlation_key: key, payload: sent }];
    }),
  ];
}

function keptItemsIn(forks: readonly Fork[], stories: Stories) {
  return forks.flatMap((fork) => {
    const done = itemsDone(originsOf(fork.first, stories));
    const story = stories.get(fork.first.execution_id) ?? [];
    return story.flatMap((event) => {
      const { carried_items: indices } = event.payload;
      const end = story.find(
        (one) => one.kind === 'NodeCompleted' && visitOf(one) === visitOf(event),
      );
      const outputs = end?.payload['output'];
      if (!Array.isArray(indices) || !Array.isArray(outputs)) return [];
      return indices.map((index) => ({
        fork,
        recorded: done.get(visitOf(event))?.get(index),
        output: outputs[Number(index)],
      }));
    });
  });
}

/** All that was in progress at the point runs again, and all that came next. */
function checkRuns(forks: readonly Fork[], { stories, asked }: Of): Violation[] {
  const begun = forks.flatMap((fork) => {
    const story = stories.get(fork.first.execution_id) ?? [];
    const scheduled = story.filter(({ kind }) => kind === 'NodeScheduled');
    if (scheduled.length === 0) return [];
    const isPatched = requestsOf(fork, asked).some(({ asks }) => asks.statePatch !== null);
    const due = [...inProgressAt(fork.kept), ...(isPatched ? [] : nextAfter(fork))];
    return [{ fork, scheduled, due }];
  });
  return violations('a fork runs what its original had not completed', begun, (of) => {
    const { fork, scheduled, due } = of;
    const left = due.find((event) => !scheduled.some((one) => visitOf(one) === visitOf(event)));
    if (left === undefined) return null;
    return { about: about(fork), saw: `${visitOf(left)} is not scheduled` };
  });
}

/** The steps that it keeps had their effects in the original, which undoes them itself. */
function checkUndone(forks: readonly Fork[], stories: Stories): Violation[] {
  const undos = forks.flatMap((fork) => {
    const story = stories.get(fork.first.execution_id) ?? [];
    const own = new Set(story.filter(({ kind }) => kind === 'NodeCompleted').map(visitOf));
    return story.flatMap((event) => {
      const { undoes } = event.payload;
      return isJsonObject(undoes) ? [{ fork, own, of: visitOfPlace(undoes) }] : [];
    });
  });
  return violations('a fork undoes its own steps alone', undos, ({ fork, own, of }) =>
    own.has(of) ? null : { about: about(fork), saw: `${of} is undone, which it has not run` },
  );
}

/** Visits that keep their number when they begin again. */
function inProgressAt(kept: readonly EventOf[]): readonly EventOf[] {
  const live = new Map<string, EventOf>();
  for (const event of kept) {
    const { kind, payload } = event;
    if (kind === 'NodeScheduled' && payload['map'] === undefined) live.set(visitOf(event), event);
    const isAnswered = kind === 'ApprovalReceived' && payload['step'] === undefined;
    // A visit that was rolled back begins again under another number.
    const isOther = kind === 'RollbackScheduled' || isAnswered;
    if (OVER.has(kind) || isOther) live.delete(visitOf(event));
  }
  return [...live.values()];
}

/** Visits that the original began after the point, and that follow only from what the fork keeps. */
function nextAfter({ original, kept, sequence }: Fork): readonly EventOf[] {
  const rest = keptAt(original, original.length).slice(sequence);
  const over = new Set<string | null>();
  const done = new Set(kept.filter(({ kind }) => kind === 'NodeCompleted').map((of) => of.node_id));
  return rest.flatMap((event) => {
    if (event.kind !== 'NodeScheduled') {
      over.add(event.node_id);
      return [];
    }
    const { from, map, continues } = event.payload;
    const isPlain = map === undefined && continues === undefined;
    const isNext =
      Array.isArray(from) && from.map(String).every((node) => done.has(node) && !over.has(node));
    return isPlain && isNext ? [event] : [];
  });
}

/** The fork has its own calls and items, and nobody waits for it. */
function checkApart(
  forks: readonly Omit<Fork, 'original' | 'kept'>[],
  { dump, stories, asked }: Of & { readonly dump: Dump },
): Violation[] {
  const ids = new Set(forks.map(({ first }) => first.execution_id));
  const owners = ownersOf(stories);
  const parents = new Map(dump.executions.map((row) => [row.id, row.parent_execution_id]));
  return [
    ...violations('a fork shares no key and no item with another execution', owners, (of) => {
      const [name, executions] = of;
      const isApart = executions.size === 1 || ![...executions].some((id) => ids.has(id));
      return isApart ? null : { about: { of: name }, saw: [...executions].join(' and ') };
    }),
    ...violations('the request of a fork writes into no other execution', dump.events, (event) => {
      if (!asked.has(event.actor_id) || ids.has(event.execution_id)) return null;
      return { about: { execution: event.execution_id }, saw: `${event.sequence} ${event.kind}` };
    }),
    ...violations('nobody waits for a fork', forks, (fork) => {
      const { parent_execution_id: told = null } = fork.first.payload;
      const parent = told ?? parents.get(fork.first.execution_id) ?? null;
      return parent === null ? null : { about: about(fork), saw: JSON.stringify(parent) };
    }),
  ];
}

/** The executions that have each key and each item; a retry has those of the execution before. */
function ownersOf(stories: Stories): ReadonlyMap<string, ReadonlySet<string>> {
  const owners = new Map<string, Set<string>>();
  for (const [id, story] of stories) {
    let owner = id;
    for (
      let from = retriedFrom(story[0]);
      from !== null;
      from = retriedFrom(stories.get(from)?.[0])
    )
      owner = from;
    for (const { payload } of story) {
      for (const name of ['idempotency_key', 'work_item_id']) {
        const value = textIn(payload, name);
        if (value !== '') owners.set(value, (owners.get(value) ?? new Set()).add(owner));
      }
    }
  }
  return owners;
}

/** A fork names its original, and the original lists its forks. */
function checkNamed(
  forks: readonly Omit<Fork, 'original' | 'kept'>[],
  { dump, history }: { readonly dump: Dump; readonly history: History },
): Violation[] {
  const byId = new Map(forks.map((fork) => [fork.first.execution_id, fork]));
  const entries = new Map(
    dump.audit_log
      .filter((entry) => entry.event_type === 'fork_requested')
      .map((entry) => [textIn(entry.payload, 'fork'), entry]),
  );
  const gone = new Set((dump.retired_executions ?? []).map((row) => row.execution_id));
  const answered = deedsOf(history, 'fork').filter((deed) => success(deed) !== null);
  const lists = deedsOf(history, 'list_forks').filter((deed) => success(deed) !== null);
  return [
    ...violations('a fork is one entry of the audit log of its original', forks, (fork) => {
      const { first, from, sequence, nodeId } = fork;
      const entry = entries.get(first.execution_id);
      const told = { fork: first.execution_id, sequence, node_id: nodeId };
      const isIt = entry?.execution_id === from && entry.actor_id === first.actor_id;
      if (isIt && isDeepStrictEqual(entry.payload, told)) return null;
      return { about: about(fork), saw: JSON.stringify(entry ?? null) };
    }),
    ...violations('a fork in an answer exists', answered, (deed) => {
      const { forked_from, sequence, node_id } = success(deed) ?? {};
      const id = idIn(success(deed));
      const fork = byId.get(id);
      const said = { forked_from, sequence, node_id };
      const is = fork && {
        forked_from: fork.from,
        sequence: fork.sequence,
        node_id: fork.nodeId,
      };
      if (isDeepStrictEqual(said, is) && forked_from === deed.asks.executionId) return null;
      return {
        about: { execution: id, deed: deed.begun },
        saw: `${JSON.stringify(said)}, it is ${JSON.stringify(is)}`,
      };
    }),
    ...violations('an execution lists its forks', lists, (list) => {
      const { executionId } = list.asks;
      const shown = success(list)?.['forks'];
      const told = Array.isArray(shown) ? shown.filter(isJsonObject) : [];
      const ids = new Set(told.map(idIn));
      const wrong = [...ids].find((id) => !gone.has(id) && byId.get(id)?.from !== executionId);
      const missed = answered.find((deed) => {
        const id = idIn(success(deed));
        const isDue = deed.asks.executionId === executionId && isBefore(deed, list);
        return isDue && !ids.has(id) && !gone.has(id);
      });
      if (wrong === undefined && missed === undefined) return null;
      return {
        about: { execution: executionId, deed: list.begun },
        saw: `${[...ids].join(', ') || 'none'}; ${wrong ?? idIn(success(missed ?? list))}`,
      };
    }),
  ];
}

function idIn(body: JsonObject | null): string {
  return textIn(body ?? {}, 'execution_id');
}
