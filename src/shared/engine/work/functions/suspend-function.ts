import { hashJson } from '../../../domain/canonical-json.ts';
import { badRequest, protocolConflict, type SvcError } from '../../../domain/errors.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry, WaitPayload } from '../../../domain/execution/function-events.ts';
import { shownOf } from '../../../domain/execution/function-events.ts';
import {
  type FunctionRun,
  type FunctionWait,
  WAITS_MAX,
} from '../../../domain/execution/function-run.ts';
import { satisfiedEntries } from '../../../domain/execution/function-waits.ts';
import { timerName } from '../../../domain/execution/effect.ts';
import { stoppableTimer } from '../../../domain/execution/decisions/function-clock.ts';
import { openWait } from '../../../domain/execution/fold/fold-function.ts';
import type { WorkItemId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { CommitPlan, NewTimer } from '../../../store/commit.ts';
import type { Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { judgeAppend, leanEntries, recordedEvents } from './append-entries.ts';
import {
  changeRun,
  leaseOf,
  type OpenRun,
  type RunChange,
  type RunRef,
  staleFence,
} from './change-run.ts';
import { withLabels } from './label-turn.ts';
import { childrenOfWaits, findChildren, type FoundChildren } from './start-children.ts';
import { readEntries, type ReadEntry } from './read-entries.ts';

/** A wait as it is asked for. */
export type AskedWait = Omit<WaitPayload, 'child_execution_id' | 'error'> & {
  /** Input of a child. */
  readonly input?: JsonObject;
};

export interface SuspendFunction extends RunRef {
  readonly expectedLength: number;
  readonly entries: readonly JournalEntry[];
  /** Each with an identity of its own; none: the next turn follows as soon as the budgets allow it. */
  readonly waits: readonly AskedWait[];
}

export interface SuspendedFunction {
  readonly workItemId: WorkItemId;
  readonly length: number;
  /** Entries that satisfied waits at once, so the turn continues; null: the lease has ended. */
  readonly entries: readonly JournalEntry[] | null;
}

type Answer = Pick<SuspendedFunction, 'length' | 'entries'>;
type AtWork = OpenRun & { readonly turn: NonNullable<OpenRun['turn']> };

/**
 * Ends the turn until one of the waits is satisfied, or tells at once what satisfies them. Without
 * waits it yields: the decision on the next turn judges the budgets. Entries and waits are one commit. A wait that is open already keeps its deadline.
 */
export async function suspendFunction(
  deps: UseCaseDeps,
  caller: Reader,
  params: SuspendFunction,
): Promise<SuspendedFunction> {
  const refuse = () => staleFence(VERDICT);
  const requestHash = hashOfRequest(params);
  const entries = await leanEntries(deps, caller.tenantId, params.entries);
  const children = await findChildren(deps, caller.tenantId, params.waits);
  const { answer, found } = await changeRun<Answer>(deps, caller, {
    ...params,
    refuse,
    propose: async (open) => {
      const known = await answerAgain(deps, open, { ...params, requestHash });
      if (known !== null) return { events: null, answer: known };
      const { turn } = open;
      if (turn === null) throw refuse();
      return proposeSuspension(
        deps,
        { ...open, turn },
        { ...params, entries, children, requestHash },
      );
    },
  });
  return { workItemId: found.record.workItemId, ...answer };
}

const VERDICT = { suspended: false };

function hashOfRequest({ expectedLength, entries, waits }: SuspendFunction): string {
  return hashJson({ expected_length: expectedLength, entries, waits });
}

/** The answer to the same request before, which was lost; null: it is new. */
async function answerAgain(
  deps: UseCaseDeps,
  { known, run, found: { record } }: OpenRun,
  { leaseFence, requestHash }: { readonly leaseFence: number; readonly requestHash: string },
): Promise<Answer | null> {
  const suspension = run?.suspension ?? null;
  if (run === null || suspension === null) return null;
  if (suspension.leaseFence !== leaseFence || suspension.requestHash !== requestHash) return null;
  const { length, resumedAt } = suspension;
  if (resumedAt === null) return { length, entries: null };
  const sequences = [...run.recorded.values()];
  const together = sequences.filter((sequence) => sequence === sequences[resumedAt]).length;
  const of = { nodeId: record.nodeId, visit: record.visit };
  const entries = await readEntries(deps, {
    known,
    visit: of,
    run,
    from: resumedAt,
    limit: together,
  });
  return { length: resumedAt + together, entries: entries.map(shownEntry) };
}

function shownEntry({
  entry: { event_sequence: _, ...entry },
}: Pick<ReadEntry, 'entry'>): JournalEntry {
  return entry;
}

async function proposeSuspension(
  deps: UseCaseDeps,
  open: AtWork,
  asked: SuspendFunction & { readonly children: FoundChildren; readonly requestHash: string },
): Promise<RunChange<Answer>> {
  const { visit, run } = open.turn;
  const { state } = open.known;
  const judged = await judgeAppend(deps, open, { ...asked, verdict: VERDICT });
  const entries = judged === 'known' ? [] : asked.entries;
  // The journal has more entries than the worker knows.
  if (judged === 'known' && asked.expectedLength + asked.entries.length < run.recorded.size) {
    throw journalConflict(run);
  }
  checkWaits(open, asked, entries);
  const isOpen = new Set(run.waits.map(({ identity }) => identity));
  const started = await childrenOfWaits(deps, withLabels(open, entries), {
    waits: asked.waits.filter(({ identity }) => !isOpen.has(identity)),
    found: asked.children,
  });
  const { waits: opened } = started;
  const recordedNow = new Set(entries.map(({ identity }) => identity));
  const all = [...run.waits, ...opened.map(openWait)].filter(
    ({ identity }) => !recordedNow.has(identity),
  );
  // A turn that yields ends, even if a wait of before is satisfied.
  const satisfied = asked.waits.length === 0 ? [] : satisfiedEntries(state, all);
  const length = run.recorded.size + entries.length;
  const isResumed = satisfied.length > 0;
  const suspended: ExecutionEvent = {
    kind: 'NodeSuspended',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      attempt: visit.attempt,
      turn: run.turn,
      work_item_id: open.found.record.workItemId,
      lease_fence: asked.leaseFence,
      request_hash: asked.requestHash,
      waits: namedWaits(asked.waits, opened),
      ...(isResumed && { resumed: true as const }),
    },
  };
  const payload = { visit: visit.visit, turn: run.turn, position: length, entries: satisfied };
  return {
    events: [
      ...recordedEvents(deps, open.turn, entries),
      suspended,
      ...approvalRequests(visit, opened),
      ...started.events,
      ...(isResumed ? [{ kind: 'StepRecorded' as const, nodeId: visit.nodeId, payload }] : []),
    ],
    commit: {
      ...started.commit,
      ...timersOf(open, { opened, all, satisfied }),
      ...(isResumed
        ? { keepsLeases: [leaseOf(open.found)] }
        : {
            holdsTimers: timersThatStop(open),
            settles: [{ ...leaseOf(open.found), onlyIfExpired: false }],
            runnable: 'mark' as const,
          }),
    },
    answer: isResumed
      ? {
          length: length + satisfied.length,
          entries: satisfied.map((entry) => shownEntry({ entry })),
        }
      : { length, entries: null },
  };
}

function timersThatStop({ known, turn }: AtWork): readonly string[] {
  const name = stoppableTimer(known.compiled.plan, turn.visit);
  return name === null ? [] : [name];
}

function checkWaits(
  { turn: { run } }: AtWork,
  { waits }: SuspendFunction,
  entries: readonly JournalEntry[],
): void {
  const open = new Map(run.waits.map((wait) => [wait.identity, wait]));
  const fresh = waits.filter(({ identity }) => !open.has(identity));
  if (run.waits.length + fresh.length > WAITS_MAX) {
    throw badRequest(`a function waits for at most ${WAITS_MAX} things at once`);
  }
  for (const { identity, kind } of waits) {
    const isRecorded =
      run.recorded.has(identity) || entries.some((entry) => entry.identity === identity);
    if (isRecorded || (open.get(identity)?.kind ?? kind) !== kind) throw journalConflict(run);
  }
}

function journalConflict({ recorded }: FunctionRun): SvcError {
  return protocolConflict({ ...VERDICT, reason: 'journal_conflict', length: recorded.size });
}

/** As they are asked for; those that begin now with what was made of them. */
function namedWaits(
  asked: readonly AskedWait[],
  opened: readonly WaitPayload[],
): readonly WaitPayload[] {
  const made = new Map(opened.map((wait) => [wait.identity, wait]));
  return asked.map(({ input: _, ...wait }) => made.get(wait.identity) ?? wait);
}

function approvalRequests(
  { nodeId, visit }: AtWork['turn']['visit'],
  opened: readonly WaitPayload[],
): readonly ExecutionEvent[] {
  return opened.flatMap(({ identity, kind, description = null, timeout_ms, context }) => {
    if (kind !== 'approval') return [];
    const shown = shownOf(context);
    return {
      kind: 'ApprovalRequested' as const,
      nodeId,
      payload: {
        visit,
        description,
        timeout_ms: timeout_ms ?? null,
        ...(shown !== undefined && { shown, shown_hash: hashJson(shown) }),
        step: identity,
      },
    };
  });
}

/** Timers of waits that begin and are not satisfied; those of satisfied ones are taken back. */
function timersOf(
  { turn: { visit: of } }: AtWork,
  waits: {
    readonly opened: readonly WaitPayload[];
    readonly all: readonly FunctionWait[];
    readonly satisfied: readonly JournalEntry[];
  },
): Pick<CommitPlan, 'startsTimers' | 'cancelsTimers'> {
  const { nodeId, visit } = of;
  const done = new Set(waits.satisfied.map(({ identity }) => identity));
  const fresh = new Set(waits.opened.map(({ identity }) => identity));
  const about = (step: string) => ({ purpose: 'function_wait', nodeId, visit, step }) as const;
  return {
    startsTimers: waits.opened.flatMap((wait): readonly NewTimer[] => {
      const when = whenOf(wait);
      if (when === null || done.has(wait.identity)) return [];
      const { step: _, ...kept } = about(wait.identity);
      return [{ executionId: null, name: timerName(about(wait.identity)), when, ...kept }];
    }),
    cancelsTimers: waits.all
      .filter(({ identity, hasTimer, hasFired }) => {
        return hasTimer && !hasFired && done.has(identity) && !fresh.has(identity);
      })
      .map(({ identity }) => timerName(about(identity))),
  };
}

function whenOf({ delay_ms, until, timeout_ms }: WaitPayload): NewTimer['when'] | null {
  if (until !== undefined) return { until };
  const delayMs = delay_ms ?? timeout_ms;
  return delayMs === undefined ? null : { delayMs };
}
