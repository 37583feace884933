import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject } from '../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import type { Dump, EventOf } from './dump.ts';
import { ENDS, foldHistory, mergePatch, visitOf } from './fold-history.ts';
import { deedsOf, success, wasRefused, type DeedOf, type History } from './history.ts';
import { violations, type Violation } from './violation.ts';

/** What failed or was cancelled is tried again as one other, which goes on with what is on record. */
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
    ...checkFired(retries, stories),
    ...checkTold(retries, history),
  ];
}

interface Retry {
  readonly first: EventOf;
  readonly from: string;
}

type Stories = ReadonlyMap<string, readonly EventOf[]>;

/** Null: it tries nothing again. */
export function retriedFrom(first: EventOf | undefined): string | null {
  if (first?.kind !== 'WorkflowStarted') return null;
  const from = first.payload['retried_from'];
  const id = isJsonObject(from) ? from['execution_id'] : null;
  return typeof id === 'string' ? id : null;
}

function aboutRetry({ first, from }: Retry) {
  return { execution: first.execution_id, of: from };
}

function checkOnce(retries: readonly Retry[], stories: Stories): Violation[] {
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
    ...violations('what is retried has failed or was cancelled', retries, (retry) => {
      const end = stories.get(retry.from)?.at(-1)?.kind ?? 'nothing';
      if (end in ENDS && end !== 'WorkflowCompleted') return null;
      return { about: aboutRetry(retry), saw: `its last event is ${end}` };
    }),
  ];
}

function checkCarried(
  retries: readonly Retry[],
  of: {
    readonly stories: Stories;
    readonly asked: ReadonlyMap<string, readonly DeedOf<'retry'>[]>;
  },
): Violation[] {
  return violations('a retry goes on with the state that was recorded', retries, (retry) => {
    const { first, from } = retry;
    const left = foldHistory(of.stories.get(from) ?? []).state;
    const patches = (of.asked.get(from) ?? [])
      .filter((deed) => !wasRefused(deed) || deed.answer?.status === 409)
      .map(({ asks }) => asks.statePatch);
    const carried = first.payload['carried'];
    const state = isJsonObject(carried) ? carried['state'] : null;
    const mayBe: readonly JsonObject[] = patches.map((patch) => mergePatch(left, patch ?? {}));
    if (mayBe.some((one) => isDeepStrictEqual(one, state))) return null;
    return {
      about: aboutRetry(retry),
      saw: `left ${JSON.stringify(left)}, goes on with ${JSON.stringify(state)}`,
    };
  });
}

/**
 * No visit and no key of which a result is on record comes again, in a retry of a retry neither. Of a
 * `map` the items are all entered again, as its visit is.
 */
function checkFired(retries: readonly Retry[], stories: Stories): Violation[] {
  const scheduled = retries.flatMap((retry) => {
    const recorded = recordedBefore(retry, stories);
    return (stories.get(retry.first.execution_id) ?? [])
      .filter(({ kind, payload }) => kind === 'NodeScheduled' && payload['map'] === undefined)
      .map((event) => ({ retry, event, recorded }));
  });
  return violations('a retry fires nothing that is on record', scheduled, (one) => {
    const { retry, event, recorded } = one;
    const key = event.payload['idempotency_key'];
    const isAgain = recorded.visits.has(visitOf(event));
    if (!isAgain && !(typeof key === 'string' && recorded.keys.has(key))) return null;
    return { about: aboutRetry(retry), saw: `${visitOf(event)} is scheduled again` };
  });
}

function recordedBefore(retry: Retry, stories: Stories) {
  const keys = new Set<string>();
  const visits = new Set<string>();
  for (let from: string | null = retry.from; from !== null;) {
    const story: readonly EventOf[] = stories.get(from) ?? [];
    const open = new Map<string, string>();
    for (const event of story) {
      const { kind, payload } = event;
      if (payload['map'] !== undefined) continue;
      const visit = visitOf(event);
      const key = payload['idempotency_key'];
      if (kind === 'NodeScheduled') open.set(visit, typeof key === 'string' ? key : '');
      if (kind !== 'NodeCompleted') continue;
      const completed = open.get(visit);
      if (completed === undefined) continue;
      visits.add(visit);
      if (completed !== '') keys.add(completed);
    }
    from = retriedFrom(story[0]);
  }
  return { keys, visits };
}

/** Who asked was told the one there is, whether it was begun for them or before. */
function checkTold(retries: readonly Retry[], history: History): Violation[] {
  const known = new Map(retries.map(({ first, from }) => [first.execution_id, from]));
  const told = deedsOf(history, 'retry').flatMap((deed) => {
    const { retried_as: as } = deed.answer?.body ?? {};
    const id = success(deed)?.['execution_id'] ?? as;
    return typeof id === 'string' ? [{ deed, id }] : [];
  });
  return violations('a retry that was named is there', told, ({ deed, id }) => {
    const { executionId } = deed.asks;
    if (known.get(id) === executionId) return null;
    return {
      about: { execution: executionId, deed: deed.begun },
      saw: `${id} was named, which is of ${known.get(id) ?? 'nothing'}`,
    };
  });
}
