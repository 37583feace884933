import { claimsOf } from './check-claims.ts';
import type { Dump, EventOf } from '../dump.ts';
import { deedsOf, isBefore, success, type Deed, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** A read after an answer shows the answered change, at any process. */
export function checkRecency(dump: Dump, history: History): Violation[] {
  const executions = executionsOf(history);
  const accepted = Map.groupBy(
    history.deeds.filter(isAcceptedChange),
    (deed) => executions(deed) ?? '',
  );
  const places = placesOf(dump);
  const placeOf = (deed: Deed): number => places.get(`${executions(deed)} ${tokenOf(deed)}`) ?? 0;
  const reads = history.deeds.filter((deed) => deed.asks.do === 'read_events' && success(deed));
  const looks = history.deeds.filter(({ asks }) => 'executionId' in asks);
  return [
    ...violations('a later read shows every acknowledged change', reads, (read) => {
      const events = success(read)?.['events'];
      const shown = Array.isArray(events) ? events.length : 0;
      const missed = (accepted.get(executions(read) ?? '') ?? []).find(
        (deed) => isBefore(deed, read) && placeOf(deed) > shown,
      );
      if (missed === undefined) return null;
      return {
        about: { execution: executions(read) ?? '', deed: missed.begun, read: read.begun },
        saw: `${missed.asks.do} is event ${placeOf(missed)}, ${shown} are shown`,
      };
    }),
    ...violations(
      'a later request finds every started execution',
      looks.filter(({ answer }) => answer?.status === 404),
      (look) => {
        const start = (accepted.get(executions(look) ?? '') ?? []).find(
          (deed) =>
            deed.asks.do === 'start' && deed.tenantId === look.tenantId && isBefore(deed, look),
        );
        if (start === undefined) return null;
        return {
          about: { execution: executions(look) ?? '', deed: start.begun, look: look.begun },
          saw: `${look.asks.do} was answered 404`,
        };
      },
    ),
    ...checkReadsAgain(history),
    ...checkAfterCancel(history, {
      executions,
      rolledBack: rolledBackIn(dump),
      undoItems: undoItemsIn(dump),
    }),
  ];
}

/** Later reads never show an earlier stage of an execution. */
function checkReadsAgain(history: History): Violation[] {
  const byExecution = Map.groupBy(
    deedsOf(history, 'read').filter((deed) => success(deed) !== null),
    ({ asks }) => asks.executionId,
  );
  return [...byExecution].flatMap(([execution, reads]) =>
    violations('a later read shows no less', reads, (read) => {
      const more = reads.find((earlier) => isBefore(earlier, read) && isMore(earlier, read));
      if (more === undefined) return null;
      return {
        about: { execution, earlier: more.begun, later: read.begun },
        saw: `${stageOf(more)} first, ${stageOf(read)} afterwards`,
      };
    }),
  );
}

function isMore(earlier: DeedOf<'read'>, later: DeedOf<'read'>): boolean {
  const [before, after] = [success(earlier) ?? {}, success(later) ?? {}];
  if (OVER.has(before['status'])) return after['status'] !== before['status'];
  return Number(before['steps_executed']) > Number(after['steps_executed']);
}

const OVER = new Set<unknown>(['completed', 'failed', 'cancelled']);

function stageOf(read: Deed): string {
  const { status, steps_executed: steps } = success(read) ?? {};
  return `${JSON.stringify(status)} after ${JSON.stringify(steps)} steps`;
}

/** After the answer to a cancel, no result of the execution is accepted. */
function checkAfterCancel(
  history: History,
  of: {
    readonly executions: (deed: Deed) => string | null;
    readonly rolledBack: ReadonlySet<string>;
    readonly undoItems: ReadonlySet<unknown>;
  },
) {
  const { executions, rolledBack, undoItems } = of;
  const cancels = deedsOf(history, 'cancel').filter((deed) => success(deed) !== null);
  const byExecution = Map.groupBy(cancels, ({ asks }) => asks.executionId);
  const accepted = history.deeds.filter(
    (deed) => deed.asks.do !== 'cancel' && deed.asks.do !== 'start' && isAcceptedChange(deed),
  );
  return violations('a cancelled execution accepts nothing more', accepted, (deed) => {
    const execution = executions(deed) ?? '';
    const cancel = byExecution.get(execution)?.find((one) => isBefore(one, deed));
    // While compensations and undos run, the execution has not ended, and it records an event that is sent.
    const isUndo = deed.asks.do === 'complete' && undoItems.has(deed.asks.workItemId);
    const isKept = isUndo || (deed.asks.do === 'event' && rolledBack.has(execution));
    if (cancel === undefined || isKept) return null;
    return {
      about: { execution, cancel: cancel.begun, deed: deed.begun },
      saw: `${deed.asks.do} was accepted after the answer to the cancel`,
    };
  });
}

function rolledBackIn({ events }: Dump): ReadonlySet<string> {
  return new Set(
    events
      .filter((event) => event.kind === 'RollbackScheduled' || isUndo(event))
      .map((event) => event.execution_id),
  );
}

function undoItemsIn({ events }: Dump): ReadonlySet<unknown> {
  return new Set(events.filter(isUndo).map(({ payload }) => payload['work_item_id']));
}

function isUndo({ kind, payload }: EventOf): boolean {
  return kind === 'NodeScheduled' && payload['undoes'] !== undefined;
}

const CHANGES = new Set(['start', 'complete', 'approve', 'event', 'cancel']);

function isAcceptedChange(deed: Deed): boolean {
  const body = success(deed);
  return CHANGES.has(deed.asks.do) && body !== null && body['accepted'] !== false;
}

/** The execution that a deed concerns; claims show the execution of a work item. */
function executionsOf(history: History): (deed: Deed) => string | null {
  const ofItems = new Map(claimsOf(history).map((claim) => [claim.workItemId, claim.executionId]));
  return (deed) => {
    const { asks } = deed;
    if ('executionId' in asks) return asks.executionId;
    if ('workItemId' in asks) return ofItems.get(asks.workItemId) ?? null;
    const id = asks.do === 'start' ? success(deed)?.['execution_id'] : null;
    return typeof id === 'string' ? id : null;
  };
}

/** The sequence of the event with each token, by execution and token. */
function placesOf(dump: Dump): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { kind, sequence, payload, execution_id: id } of dump.events) {
    const token =
      kind === 'ApprovalReceived'
        ? payload['comment']
        : kind === 'ExternalEventReceived'
          ? tokenIn(payload['payload'])
          : kind === 'NodeCompleted'
            ? tokenIn(payload['output'])
            : kind === 'WorkflowCancelled' || kind === 'WorkflowEnding'
              ? `cancel ${id}`
              : null;
    if (typeof token !== 'string') continue;
    const name = `${id} ${token}`;
    if (!places.has(name)) places.set(name, sequence);
  }
  return places;
}

function tokenOf({ asks }: Deed): string | null {
  switch (asks.do) {
    case 'complete':
      return tokenIn(asks.output);
    case 'approve':
    case 'event':
      return asks.token;
    case 'cancel':
      return `cancel ${asks.executionId}`;
    default:
      return null;
  }
}

function tokenIn(value: unknown): string | null {
  const { token } = (value ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' ? token : null;
}
