import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import { claimsOf, releasedIn, type Claim } from './check-claims.ts';
import { checkContinuations } from './check-continuations.ts';
import { byExecution } from './check-histories.ts';
import type { Dump } from '../dump.ts';
import { foldFunctions, FUNCTION_RULES, type FunctionVisit } from '../fold-functions.ts';
import { deedsOf, isBefore, success, wasRefused, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Durable functions: journals, turns, waits, rollbacks, and the answers to their workers. */
export function checkFunctions(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined || !last.events.some(({ kind }) => OF_FUNCTIONS.has(kind))) return [];
  const folded = [...byExecution(last).values()].map(foldFunctions);
  const visits = folded.flatMap((of) => [...of.visits.values()]);
  const claims = claimsOf(history).filter(({ turn }) => turn !== null);
  const keys = new Map(last.work_items.map((item) => [item.work_item_id, item.idempotency_key]));
  const byItem = new Map(
    visits.flatMap((visit) => [...visit.items].map((id) => [id, visit] as const)),
  );
  const of = { visits: byItem, keys, claims, history };
  const isHeard = history.hasUnheardFunctions !== true;
  return [
    ...folded
      .flatMap(({ broken }) => broken)
      .filter(({ rule }) => rule !== FUNCTION_RULES.clock || history.clockWasSetBack !== true),
    ...dumps.flatMap(checkSuspended),
    ...(isHeard ? [...checkSent(of), ...checkSuspensions(last, of)] : []),
    ...checkAnswered(of),
    ...checkTurns(of),
    ...checkEffectsOfSteps(of),
    ...checkContinuations(dumps, of),
  ];
}

const OF_FUNCTIONS = new Set(['StepRecorded', 'NodeContinuedAsNew']);

interface Of {
  /** By work item. */
  readonly visits: ReadonlyMap<string, FunctionVisit>;
  /** Idempotency keys by work item. */
  readonly keys: ReadonlyMap<string, string>;
  readonly claims: readonly Claim[];
  readonly history: History;
}

function checkSuspended(dump: Dump): Violation[] {
  const suspended = new Set(
    [...byExecution(dump).values()].flatMap((story) =>
      [...foldFunctions(story).visits.values()]
        .filter(({ place }) => place === 'suspended')
        .map(({ workItemId }) => workItemId),
    ),
  );
  const held = [...dump.work_queue, ...dump.work_leases, ...dump.retry_timers];
  return violations('a suspended function is on no queue and under no lease', held, (row) =>
    suspended.has(row.work_item_id)
      ? { about: { execution: row.execution_id, work_item: row.work_item_id }, saw: 'a row of it' }
      : null,
  );
}

/** Each entry came from a worker, under the fence of the turn that recorded it. */
function checkSent({ visits, claims, history }: Of): Violation[] {
  const turns = new Map(claims.map((claim) => [claim.fence, claim]));
  const sent = Map.groupBy(
    [
      ...deedsOf(history, 'record'),
      ...deedsOf(history, 'suspend'),
      ...deedsOf(history, 'continue'),
      ...deedsOf(history, 'complete'),
      ...deedsOf(history, 'fail'),
      ...deedsOf(history, 'complete_rollback'),
    ].filter((deed) => (deed.asks.entries ?? []).length > 0 && !wasRefused(deed)),
    ({ asks }) => asks.workItemId,
  );
  return [...new Set(visits.values())].flatMap(({ workItemId, items, entries }) => {
    const own = entries.filter(
      ({ entry, isCarried }) => !isCarried && OF_WORKERS.has(entry['kind']),
    );
    return violations('an entry is recorded under the fence of its turn', own, (recorded) => {
      const { entry, identity, turn } = recorded;
      const isSent = [...items].some((id) =>
        (sent.get(id) ?? []).some(
          ({ asks }) =>
            turns.get(asks.fence)?.turn === turn &&
            turns.get(asks.fence)?.workItemId === id &&
            (asks.entries ?? []).some((one) => isDeepStrictEqual(one, entry)),
        ),
      );
      if (isSent) return null;
      return { about: { work_item: workItemId, turn }, saw: `nobody who had it sent ${identity}` };
    });
  });
}

const OF_WORKERS = new Set<unknown>(['step', 'value', 'version', 'on_rollback', 'rollback']);

function checkSuspensions(last: Dump, { claims, history }: Of): Violation[] {
  const turns = new Map(claims.map((claim) => [claim.fence, claim]));
  const told = last.events.filter(({ kind }) => kind === 'NodeSuspended');
  const fences = new Set(told.map(({ payload }) => payload['lease_fence']));
  const answered = deedsOf(history, 'suspend').filter((deed) => success(deed) !== null);
  return [
    ...violations('a suspension is under the fence of its turn', told, (event) => {
      const { lease_fence: fence, turn, work_item_id: id } = event.payload;
      const claim = turns.get(Number(fence));
      if (claim?.turn === turn && claim?.workItemId === id) return null;
      return {
        about: { execution: event.execution_id, sequence: event.sequence },
        saw: `turn ${Number(turn)} under fence ${Number(fence)}, given for ${claim?.turn ?? 'none'}`,
      };
    }),
    ...violations('an acknowledged suspension is recorded', answered, ({ asks, begun }) =>
      fences.has(asks.fence)
        ? null
        : { about: { work_item: asks.workItemId, deed: begun }, saw: 'there is none' },
    ),
  ];
}

/** The journal contains every entry that an answer called recorded, at the given position. */
function checkAnswered({ visits, history }: Of): Violation[] {
  const answered = [...deedsOf(history, 'record'), ...deedsOf(history, 'suspend')].filter(
    (deed) => success(deed) !== null,
  );
  return violations(
    'an entry that was answered as recorded is in the journal',
    answered,
    (deed) => {
      const { workItemId, expectedLength, entries } = deed.asks;
      const resumed = success(deed)?.['entries'];
      const told = [...entries, ...(Array.isArray(resumed) ? resumed : [])];
      const journal = visits.get(workItemId)?.entries ?? [];
      const stands = journal.slice(expectedLength, expectedLength + told.length).map(shownEntry);
      const length = success(deed)?.['length'];
      const shown = stands.map((entry, index) => asTold(entry, told[index]));
      if (isDeepStrictEqual(shown, told) && length === expectedLength + told.length) return null;
      return {
        about: { work_item: workItemId, deed: deed.begun },
        saw: `${JSON.stringify(told)} at ${expectedLength}, there stands ${JSON.stringify(stands)}`,
      };
    },
  );
}

/** The recorded entry, without its cost where the worker left the cost open. */
function asTold(stands: JsonObject, told: JsonObject | undefined): JsonObject {
  const { usage } = stands;
  if (!isJsonObject(usage) || !isJsonObject(told?.['usage'])) return stands;
  return told['usage']['cost_usd'] === null
    ? { ...stands, usage: { ...usage, cost_usd: null } }
    : stands;
}

/** The entry as workers see it. */
function shownEntry({ entry }: FunctionVisit['entries'][number]): JsonObject {
  const { event_sequence: _, ...shown } = entry;
  return shown;
}

/** The requests that record something of a turn. A move may give back a turn of which nothing is recorded. */
const RECORDING = new Set<string>([
  'record',
  'suspend',
  'continue',
  'complete',
  'fail',
  'complete_rollback',
]);

/** One claim takes each turn, and gets all entries recorded before it. */
function checkTurns({ visits, claims, history }: Of): Violation[] {
  const { perhaps } = releasedIn(history);
  const kept = claims.filter(({ fence }) => !perhaps.has(fence));
  const taken = new Set(
    history.deeds.flatMap((deed) =>
      'fence' in deed.asks && RECORDING.has(deed.asks.do) && success(deed) !== null
        ? [deed.asks.fence]
        : [],
    ),
  );
  const byTurn = Map.groupBy(kept, ({ workItemId, turn }) => `${workItemId} turn ${turn}`);
  return [
    // A process that freezes during a claim may answer with a later turn.
    ...violations('a turn of a function is taken under one fence', byTurn, ([turn, of]) => {
      const fences = of.map(({ fence }) => fence).filter((fence) => taken.has(fence));
      return fences.length <= 1 ? null : { about: { turn }, saw: `fences ${fences.join(', ')}` };
    }),
    ...violations('a turn begins with the journal of the turns before', claims, (claim) => {
      const journal = visits.get(claim.workItemId)?.entries ?? [];
      const told = claim.journal ?? [];
      const stands = journal.slice(0, told.length).map(shownEntry);
      const before = journal.filter(({ turn }) => turn < (claim.turn ?? 0)).length;
      if (isDeepStrictEqual(stands, told) && told.length >= before) return null;
      return {
        about: { work_item: claim.workItemId, fence: claim.fence },
        saw: `${JSON.stringify(told)}, there stands ${JSON.stringify(stands)}, ${before} before`,
      };
    }),
  ];
}

/** A recorded step is not done again, and every recorded step was done under one key. */
function checkEffectsOfSteps({ visits, keys: visitKeys, claims, history }: Of): Violation[] {
  const byFence = new Map(claims.map((claim) => [claim.fence, claim]));
  const effects = deedsOf(history, 'step_effect');
  // A retry of an execution takes over a visit with its key, as another item.
  const done = Map.groupBy(effects, ({ asks }) => `${asks.visitKey} ${asks.identity}`);
  const recorded = deedsOf(history, 'record').filter((deed) => success(deed) !== null);
  const steps = [...new Set(visits.values())].flatMap(({ workItemId, items, entries }) => {
    // All items of a visit have one key. The last may have no row: a commit that ends it wrote none.
    const visitKey = [...items].map((id) => visitKeys.get(id)).find((key) => key !== undefined);
    return entries
      .filter(({ entry, isCarried }) => !isCarried && HAS_EFFECT.has(entry['kind']))
      .map((one) => ({ workItemId, visitKey, ...one }));
  });
  return [
    ...violations('a recorded step had its effect once, under its key', steps, (step) => {
      const calls = done.get(`${step.visitKey} ${step.identity}`) ?? [];
      const keys = new Set(calls.map(({ asks }) => asks.key));
      const receipts = calls.map((call) => success(call)?.['receipt']);
      const { output } = step.entry;
      const isHad =
        step.entry['kind'] === 'rollback'
          ? receipts.length > 0
          : isJsonObject(output) && receipts.includes(output['receipt']);
      if (keys.size === 1 && isHad) return null;
      return {
        about: { work_item: step.workItemId, step: step.identity },
        saw: `${calls.length} calls under ${keys.size} keys, on record is ${JSON.stringify(output)}`,
      };
    }),
    ...violations('a recorded step is not done again', effects, (effect) => {
      const { visitKey, identity, fence } = effect.asks;
      if (fence === null) return null;
      const claim = byFence.get(fence);
      const before = recorded.find(
        (deed) =>
          claim !== undefined &&
          deed.asks.workItemId === claim.workItemId &&
          isBefore(deed, claim.deed) &&
          deed.asks.entries.some((entry) => entry['identity'] === identity),
      );
      if (before === undefined) return null;
      return { about: { visit: visitKey, step: identity, fence }, saw: 'it was done again' };
    }),
  ];
}

const HAS_EFFECT = new Set<unknown>(['step', 'rollback']);
