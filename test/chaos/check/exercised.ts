import { claimsOf } from '../../invariants/checks/check-claims.ts';
import type { Dump } from '../../invariants/dump.ts';
import { deedsOf, success, wasRefused, type Ask } from '../../invariants/history.ts';
import type { Arrival } from '../clients/webhook-receiver.ts';
import type { CheckParams, Operation, RunHistory } from '../types.ts';

/**
 * Counts how often each situation occurred that a run must exercise: a check of something that
 * never happened passes, and proves nothing.
 */
export function exercised({ history, dump }: CheckParams): Readonly<Record<string, number>> {
  return { ...ofOperations(history), ...ofRaces(history, dump), ...ofEvents(dump) };
}

/** Messages of webhooks, and attempts that the receiver let fail. */
export function messagesTaken(arrivals: readonly Arrival[]): Readonly<Record<string, number>> {
  const failed = arrivals.filter(({ status }) => status >= 300);
  const first = new Set(arrivals.map(({ deliveryId }) => deliveryId));
  return {
    'messages of webhooks': first.size,
    'messages that failed': failed.length,
    'messages that came again': arrivals.length - first.size,
  };
}

const OPERATIONS = [
  'start',
  'claim',
  'heartbeat',
  'complete',
  'fail',
  'approve',
  'event',
  'cancel',
  'pause',
  'resume',
  'pause_workflow',
  'resume_workflow',
  'retry',
  'read',
  'read_events',
  'follow',
  'explain',
  'export',
  'import',
  'list',
  'mint',
] as const satisfies readonly Ask['do'][];

function ofOperations({ deeds }: RunHistory): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of OPERATIONS) {
    const those = deeds.filter(({ asks }) => asks.do === name);
    counts[`${name} ok`] = those.filter((deed) => success(deed) !== null).length;
    counts[`${name} refused`] = those.filter(wasRefused).length;
    counts[`${name} unknown`] = those.filter(isUnknown).length;
  }
  return counts;
}

function isUnknown(deed: Operation): boolean {
  return success(deed) === null && !wasRefused(deed);
}

function ofRaces(history: RunHistory, dump: Dump): Record<string, number> {
  const tokens = new Set(dump.events.flatMap(({ payload }) => tokensIn(payload)));
  const isThere = ({ asks }: Operation): boolean =>
    ('token' in asks && tokens.has(asks.token)) ||
    (asks.do === 'complete' && tokensIn({ output: asks.output }).some((one) => tokens.has(one)));
  const unknown = history.deeds.filter(isUnknown);
  const byKey = Map.groupBy(deedsOf(history, 'start'), ({ asks }) => asks.key);
  const byItem = Map.groupBy(claimsOf(history), ({ workItemId }) => workItemId);
  const effects = Map.groupBy(deedsOf(history, 'effect'), ({ asks }) => asks.key);
  const steps = Map.groupBy(deedsOf(history, 'step_effect'), ({ asks }) => asks.key);
  const decisions = Map.groupBy(deedsOf(history, 'approve'), ({ asks }) => asks.executionId);
  const owners = new Map(dump.executions.map(({ id, tenant_id: tenant }) => [id, tenant]));
  const status = (deed: Operation): number => deed.answer?.status ?? 0;
  const is = (of: Ask['do'], ...statuses: readonly number[]): number =>
    history.deeds.filter((deed) => deed.asks.do === of && statuses.includes(status(deed))).length;
  const count = <Item>(items: Iterable<Item>, holds: (item: Item) => boolean): number =>
    [...items].filter(holds).length;
  return {
    'unknown operations that were carried out': count(unknown, isThere),
    'unknown operations that were not': count(
      unknown,
      (deed) => 'token' in deed.asks && !isThere(deed),
    ),
    'starts sent more than once under one key': count(byKey.values(), ({ length }) => length > 1),
    'starts refused by a limit': is('start', 429),
    'items claimed more than once': count(byItem.values(), ({ length }) => length > 1),
    'settles under a stale fence': is('complete', 409) + is('fail', 409),
    'completes with a wrong key': is('complete', 400),
    'heartbeats under a stale fence': is('heartbeat', 409),
    'approvals with several reviewers': count(
      decisions.values(),
      (of) => new Set(of.map(({ client }) => client)).size > 1,
    ),
    'decisions that came second': count(
      deedsOf(history, 'approve'),
      (deed) => success(deed)?.['accepted'] === false,
    ),
    'cancels that lost': is('cancel', 400),
    // Their answers may be lost, so acknowledged ones are fewer.
    'retries begun': count(dump.events, ({ payload }) => payload['retried_from'] !== undefined),
    'retries that came second': is('retry', 409),
    'executions imported': dump.imported_executions?.length ?? 0,
    'removals that an import reverted': count(
      dump.imported_executions ?? [],
      ({ retirement_id: removal }) => removal !== null,
    ),
    'imports that found what they bring': is('import', 200),
    'executions removed': dump.retired_executions?.length ?? 0,
    'requests of strangers that were refused': count(
      history.deeds,
      ({ asks, tenantId, answer }) =>
        answer?.status === 404 &&
        'executionId' in asks &&
        owners.get(asks.executionId) !== tenantId,
    ),
    'streams of events that broke and continued': count(
      deedsOf(history, 'follow'),
      (deed) => Number(success(deed)?.['streams']) > 1,
    ),
    'effects outside': count(effects.keys(), () => true),
    'effects with the secret of the tool': count(
      history.deeds,
      ({ asks, answer }) => asks.do === 'effect' && answer?.body['authorised'] === true,
    ),
    'effects asked for again under one key': count(effects.values(), ({ length }) => length > 1),
    'effects of functions': steps.size,
    'effects of functions asked for again': count(steps.values(), ({ length }) => length > 1),
  };
}

function tokensIn(payload: object): readonly string[] {
  const { input, output, payload: delivered, comment } = payload as Record<string, unknown>;
  return [input, output, delivered, { token: comment }].flatMap((value) => {
    const token = (value as { readonly token?: unknown } | null | undefined)?.token;
    return typeof token === 'string' ? [token] : [];
  });
}

const KINDS = [
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
  'ToolCallCompleted',
  'NodeFailed',
  'RetryScheduled',
  'TimerFired',
  'ApprovalReceived',
  'ExternalEventReceived',
  'ChildWorkflowCompleted',
  'ExecutionPaused',
  'ExecutionResumed',
  'StepRecorded',
  'NodeSuspended',
  'RollbackScheduled',
] as const;

function ofEvents(dump: Dump): Record<string, number> {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  for (const { kind } of dump.events) if (kind in counts) counts[kind] = (counts[kind] ?? 0) + 1;
  const lapsed = dump.events.filter(({ payload }) => payload['error_class'] === 'lease_lapsed');
  return { ...counts, 'leases that lapsed': lapsed.length };
}
