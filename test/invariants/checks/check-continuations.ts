import { isDeepStrictEqual } from 'node:util';

import { isJsonObject } from '../../../src/shared/domain/json.ts';
import type { Claim } from './check-claims.ts';
import { byExecution } from './check-histories.ts';
import { checkTakenOver } from './check-taken-over.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { foldFunctions, type FunctionVisit } from '../fold-functions.ts';
import { deedsOf, isBefore, success, wasRefused, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

interface Of {
  /** By work item. */
  readonly visits: ReadonlyMap<string, FunctionVisit>;
  readonly claims: readonly Claim[];
  readonly history: History;
}

/** Functions that continue as new: the requests, the next visits, and the ended waits. */
export function checkContinuations(dumps: readonly Dump[], of: Of): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const told = last.events.filter(({ kind }) => kind === 'NodeContinuedAsNew');
  const isHeard = of.history.hasUnheardFunctions !== true;
  return [
    ...(isHeard ? checkAsked(told, of) : []),
    ...checkRepeated(last, of),
    ...checkInputs(of),
    ...dumps.flatMap(checkLeft),
    ...checkTakenOver(last),
  ];
}

/** The history records a continuation once, and only if the holder of the turn asked for it. */
function checkAsked(told: readonly EventOf[], { claims, history }: Of): Violation[] {
  const turns = new Map(claims.map((claim) => [claim.fence, claim]));
  const asked = deedsOf(history, 'continue');
  const byFence = Map.groupBy(told, ({ payload }) => payload['lease_fence']);
  return [
    ...violations('a continuation is under the fence of its turn', told, (event) => {
      const { lease_fence: fence, turn, work_item_id: id } = event.payload;
      const claim = turns.get(Number(fence));
      if (claim?.turn === turn && claim?.workItemId === id) return null;
      return { about: about(event), saw: `fence ${Number(fence)}, of ${claim?.turn ?? 'none'}` };
    }),
    ...violations('a recorded continuation was requested with its input', told, (event) => {
      const { lease_fence: fence, work_item_id: id, input } = event.payload;
      const isSent = asked.some(
        (deed) =>
          !wasRefused(deed) &&
          deed.asks.fence === fence &&
          deed.asks.workItemId === id &&
          isDeepStrictEqual(deed.asks.input, input),
      );
      return isSent ? null : { about: about(event), saw: JSON.stringify(input) };
    }),
    ...violations(
      'an acknowledged continuation is recorded once',
      asked.filter((deed) => success(deed) !== null),
      ({ asks, begun }) => {
        const found = byFence.get(asks.fence) ?? [];
        const [only] = found;
        if (found.length === 1 && isDeepStrictEqual(only?.payload['input'], asks.input)) {
          return null;
        }
        const saw = `on record ${found.length} times: ${JSON.stringify(only?.payload['input'])}`;
        return { about: { work_item: asks.workItemId, deed: begun }, saw };
      },
    ),
  ];
}

function about({ execution_id: execution, sequence }: EventOf) {
  return { execution, sequence };
}

/**
 * A client that lost the answer may repeat the request: while the next visit is under way, it gets
 * the same answer.
 */
function checkRepeated(last: Dump, { visits, history }: Of): Violation[] {
  const nextItems = nextItemsIn(last);
  const asked = deedsOf(history, 'continue');
  const refused = asked.filter(wasRefused);
  const accepted = Map.groupBy(
    asked.filter((deed) => success(deed) !== null),
    ({ asks }) => asks.workItemId,
  );
  return violations('a continuation that is repeated has the same answer', refused, (deed) => {
    const { workItemId } = deed.asks;
    const isRepeated = (accepted.get(workItemId) ?? []).some(
      (first) => isBefore(first, deed) && isDeepStrictEqual(first.asks, deed.asks),
    );
    const next = nextItems.get(workItemId);
    if (!isRepeated || next === undefined || !visits.has(next)) return null;
    if (!isAtWorkAfter(deed, next, history)) return null;
    return {
      about: { work_item: workItemId, fence: deed.asks.fence, deed: deed.begun },
      saw: `it was answered 200, and then ${deed.answer?.status}`,
    };
  });
}

function nextItemsIn(last: Dump): ReadonlyMap<string, string> {
  const next = new Map<string, string>();
  for (const story of byExecution(last).values()) {
    const items = new Map<string, string>();
    for (const { kind, node_id: nodeId, payload } of story) {
      if (kind !== 'NodeScheduled') continue;
      const item = textIn(payload, 'work_item_id');
      items.set(`${nodeId}#${Number(payload['visit'])}`, item);
      const before = items.get(`${nodeId}#${Number(payload['continues'])}`);
      if (before !== undefined) next.set(before, item);
    }
  }
  return next;
}

/** A later request shows that a worker had the item, or got it. */
function isAtWorkAfter(deed: DeedOf<'continue'>, item: string, { deeds }: History): boolean {
  return deeds.some((later) => {
    if (!isBefore(deed, later) || success(later) === null) return false;
    if (later.asks.do === 'record' || later.asks.do === 'suspend') {
      return later.asks.workItemId === item;
    }
    const items = success(later)?.['work_items'];
    return Array.isArray(items) && items.some((one) => isJsonObject(one) && one['id'] === item);
  });
}

function checkInputs({ visits, claims }: Of): Violation[] {
  return violations('a visit begins with the recorded input', claims, (claim) => {
    const input = visits.get(claim.workItemId)?.input ?? null;
    if (input === null || isDeepStrictEqual(claim.input, input)) return null;
    return {
      about: { work_item: claim.workItemId, fence: claim.fence },
      saw: `${JSON.stringify(claim.input)}, on record is ${JSON.stringify(input)}`,
    };
  });
}

/**
 * The timers of a continued visit are gone, and its children have ended or are about to be
 * cancelled.
 */
function checkLeft(dump: Dump): Violation[] {
  const continued = [...byExecution(dump)].flatMap(([execution, story]) =>
    [...foldFunctions(story).visits].flatMap(([name, visit]) =>
      visit.continued === null ? [] : [{ execution, name, children: visit.continued.children }],
    ),
  );
  if (continued.length === 0) return [];
  const status = new Map(dump.executions.map((row) => [row.id, row.status]));
  const toldToEnd = new Set(
    dump.timers.flatMap(({ purpose, execution_id: id }) => (purpose === 'parent_ended' ? id : [])),
  );
  const timers = Map.groupBy(dump.timers, (timer) => timer.execution_id);
  return violations('the waits of a visit end when it continues', continued, (of) => {
    const left = [
      ...(timers.get(of.execution) ?? []).filter(({ name }) => isTimerOf(name, of.name)),
      ...of.children
        .filter((id) => isLive(status.get(id)) && !toldToEnd.has(id))
        .map((name) => ({ name })),
    ];
    if (left.length === 0) return null;
    const saw = `left were ${left.map(({ name }) => name).join(', ')}`;
    return { about: { execution: of.execution, visit: of.name }, saw };
  });
}

function isTimerOf(name: string, visit: string): boolean {
  return name.endsWith(`:${visit}`) || name.includes(`:${visit}/`);
}

function isLive(status: string | undefined): boolean {
  return status === 'running' || status === 'paused';
}
