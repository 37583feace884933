import { isDeepStrictEqual } from 'node:util';

import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { isJsonObject } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import type { Dump, EventOf } from '../dump.ts';
import { foldHistory } from '../fold-history.ts';
import { actorOf, deedsOf, success, wasRefused, type Deed, type History } from '../history.ts';
import { forkedFrom } from '../lineage.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * Checks answers against the histories: an accepted change happened exactly once, and a refused one
 * never. A change without an answer happened at most as often as it was requested.
 */
export function checkAnswers(dump: Dump, history: History): Violation[] {
  const events = byExecution(dump);
  const tokens = countTokens(dump.events);
  const count = (kind: string, token: string): number => tokens.get(`${kind} ${token}`) ?? 0;
  const forks = deedsOf(history, 'fork');
  const forked = countForks(events);
  return [
    ...applied('a start is carried out once for its key', {
      deeds: deedsOf(history, 'start'),
      name: ({ asks }) => asks.key,
      isAccepted: (deed) => success(deed) !== null,
      isIdempotent: true,
      count: ({ asks }) => count('WorkflowStarted', asks.token),
    }),
    ...applied('a fork is made once for its key', {
      deeds: forks.filter(({ asks }) => asks.key !== null),
      name: actorOf,
      isAccepted: (deed) => success(deed) !== null,
      isIdempotent: true,
      count: (deed) => forked.get(actorOf(deed)) ?? 0,
    }),
    ...applied('each request without a key makes a fork', {
      deeds: forks.filter(({ asks }) => asks.key === null),
      name: actorOf,
      isAccepted: (deed) => success(deed) !== null,
      isIdempotent: false,
      count: (deed) => forked.get(actorOf(deed)) ?? 0,
    }),
    ...applied('a completion is carried out once', {
      deeds: deedsOf(history, 'complete'),
      name: ({ asks }) => `${asks.workItemId} ${asks.fence}`,
      isAccepted: (deed) => success(deed) !== null,
      isIdempotent: true,
      count: ({ asks }) => count('NodeCompleted', tokenOf(asks.output) ?? ''),
    }),
    ...applied('a failure is carried out once', {
      deeds: deedsOf(history, 'fail').filter(({ asks }) => asks.token !== undefined),
      name: ({ asks }) => asks.token ?? '',
      isAccepted: (deed) => success(deed) !== null,
      isIdempotent: true,
      count: ({ asks }) => count('NodeFailed', asks.token ?? ''),
    }),
    ...applied('a decision is carried out once', {
      deeds: deedsOf(history, 'approve'),
      name: ({ asks }) => asks.token,
      isAccepted: (deed) => success(deed)?.['accepted'] === true,
      isIdempotent: false,
      count: ({ asks }) => count('ApprovalReceived', asks.token),
    }),
    ...applied('an external event is carried out once', {
      deeds: deedsOf(history, 'event'),
      name: ({ asks }) => asks.token,
      isAccepted: (deed) => success(deed)?.['accepted'] === true,
      isIdempotent: false,
      count: ({ asks }) => count('ExternalEventReceived', asks.token),
    }),
    ...checkRecorded(dump, events, history),
    ...checkCancels(events, history),
    ...checkStarts(dump, history),
  ];
}

function applied<Of extends Deed>(
  rule: string,
  of: {
    readonly deeds: readonly Of[];
    readonly name: (deed: Of) => string;
    readonly isAccepted: (deed: Of) => boolean;
    /** A repeated request is the same change. */
    readonly isIdempotent: boolean;
    readonly count: (deed: Of) => number;
  },
): Violation[] {
  return violations(rule, Map.groupBy(of.deeds, of.name), ([name, deeds]) => {
    const [first] = deeds;
    if (first === undefined) return null;
    const accepted = deeds.filter(of.isAccepted).length;
    const open = deeds.filter((deed) => success(deed) === null && !wasRefused(deed)).length;
    const least = of.isIdempotent ? Math.min(accepted, 1) : accepted;
    const most = of.isIdempotent ? Math.min(accepted + open, 1) : accepted + open;
    const found = of.count(first);
    if (found >= least && found <= most) return null;
    const answers = deeds.map(({ answer }) => answer?.status ?? 'none').join(', ');
    return {
      about: { of: name, deeds: deeds.map((deed) => deed.begun).join(', ') },
      saw: `carried out ${found} times; answers: ${answers}, ${accepted} accepted`,
    };
  });
}

/** By actor: each request for a fork has one of its own. */
function countForks(events: ReadonlyMap<string, readonly EventOf[]>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [first] of events.values()) {
    if (first === undefined || forkedFrom(first) === null) continue;
    counts.set(first.actor_id, (counts.get(first.actor_id) ?? 0) + 1);
  }
  return counts;
}

/** Every deed has a token of its own, and the event that it causes carries the token. */
function countTokens(events: readonly EventOf[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, payload } of events) {
    if (payload['parent_execution_id'] !== undefined) continue;
    if (payload['continued_from'] !== undefined) continue;
    if (payload['retried_from'] !== undefined) continue;
    if (payload['forked_from'] !== undefined) continue;
    const token =
      kind === 'WorkflowStarted'
        ? tokenOf(payload['input'])
        : kind === 'NodeCompleted'
          ? tokenOf(payload['output'])
          : kind === 'ApprovalReceived'
            ? payload['comment']
            : kind === 'ExternalEventReceived'
              ? tokenOf(payload['payload'])
              : kind === 'NodeFailed'
                ? payload['error']
                : null;
    if (typeof token !== 'string') continue;
    const name = `${kind} ${token}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function tokenOf(value: JsonValue | undefined): string | null {
  const token = isJsonObject(value) ? value['token'] : null;
  return typeof token === 'string' ? token : null;
}

/** The result of an accepted completion follows its call, and equals the one sent under the item's key. */
function checkRecorded(
  dump: Dump,
  events: ReadonlyMap<string, readonly EventOf[]>,
  history: History,
): Violation[] {
  const calls = dump.events.filter(({ kind }) => kind === 'ToolCallCompleted');
  const callOf = new Map(calls.map((call) => [call.payload['work_item_id'], call]));
  const keys = new Map(dump.work_items.map((row) => [row.work_item_id, row.idempotency_key]));
  const accepted = deedsOf(history, 'complete').filter((deed) => success(deed) !== null);
  return violations('an accepted result is recorded under its key', accepted, ({ asks }) => {
    const about = { work_item: asks.workItemId, fence: asks.fence, key: asks.key };
    const call = callOf.get(asks.workItemId);
    if (call === undefined) return { about, saw: 'no completed call' };
    const result = events.get(call.execution_id)?.[call.sequence];
    const isRight =
      asks.key === keys.get(asks.workItemId) &&
      result?.kind === 'NodeCompleted' &&
      isDeepStrictEqual(result.payload['output'], asks.output);
    return isRight ? null : { about, saw: `event ${call.sequence + 1} is ${result?.kind}` };
  });
}

function checkCancels(
  events: ReadonlyMap<string, readonly EventOf[]>,
  history: History,
): Violation[] {
  const cancels = deedsOf(history, 'cancel');
  return violations('a cancel wins or loses as a whole', cancels, (deed) => {
    const { executionId } = deed.asks;
    const story = events.get(executionId) ?? [];
    const { ended } = foldHistory(story);
    // While finalizers or rollbacks of another end run, a cancel answers 200 and changes nothing.
    const ending = story.find(({ kind }) => kind === 'WorkflowEnding');
    const isTooLate = ending !== undefined && ending.payload['outcome'] !== 'cancelled';
    const won = success(deed) !== null && !isTooLate;
    const lost = deed.answer?.status === 400;
    if (won ? ended === 'cancelled' : !lost || ended === 'completed' || ended === 'failed') {
      return null;
    }
    return {
      about: { execution: executionId, deed: deed.begun },
      saw: `answered ${deed.answer?.status}, and the execution is ${ended ?? 'live'}`,
    };
  });
}

function checkStarts(dump: Dump, history: History): Violation[] {
  const rows = new Map(dump.executions.map((row) => [row.id, row]));
  const inputs = new Map(
    dump.events
      .filter(({ kind }) => kind === 'WorkflowStarted')
      .map((event) => [event.execution_id, event.payload['input']]),
  );
  return violations('an accepted start has its execution', deedsOf(history, 'start'), (deed) => {
    const { execution_id: id } = success(deed) ?? {};
    if (typeof id !== 'string') return null;
    const row = rows.get(id);
    const { workflowId, input } = deed.asks;
    const isRight = row?.tenant_id === deed.tenantId && row.workflow_id === workflowId;
    if (isRight && (input === undefined || isDeepStrictEqual(inputs.get(id), input))) return null;
    return {
      about: { execution: id, deed: deed.begun },
      saw:
        row === undefined
          ? 'there is none'
          : `it is ${row.workflow_id} of ${row.tenant_id}, from ${JSON.stringify(inputs.get(id))}`,
    };
  });
}
