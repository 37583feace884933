import { hashJson } from '../../../domain/canonical-json.ts';
import { badRequest } from '../../../domain/errors.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import type { ContinueRequest } from '../../../domain/execution/function-run.ts';
import { leavesChildren } from '../../../domain/execution/undo/ending-children.ts';
import type { WorkItemId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import type { Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { reportAttempt } from '../report-attempt.ts';
import { knownOf } from '../settle-work-item.ts';
import { judgeAppend, leanEntries, leanValue, recordedEvents } from './append-entries.ts';
import {
  changeRun,
  leaseOf,
  type OpenRun,
  type RunChange,
  type RunRef,
  staleFence,
} from './change-run.ts';
import { endsWithFunction } from './end-function.ts';
import { owedAfter } from './settle-function.ts';

export interface ContinueFunction extends RunRef {
  readonly expectedLength: number;
  readonly entries: readonly JournalEntry[];
  /** Input of the next visit. */
  readonly input: JsonObject;
}

type AtWork = OpenRun & { readonly turn: NonNullable<OpenRun['turn']> };

/**
 * Ends the visit, with its item, its journal and its open waits. Another visit of the node begins at
 * once, with this input. A visit with open compensations cannot end so: the next visit does not have
 * the code that runs them.
 */
export async function continueFunction(
  deps: UseCaseDeps,
  caller: Reader,
  params: ContinueFunction,
): Promise<{ readonly workItemId: WorkItemId }> {
  const { tenantId } = caller;
  const { leaseFence } = params;
  const refuse = () => staleFence(VERDICT);
  const requestHash = hashOfRequest(params);
  const entries = await leanEntries(deps, tenantId, params.entries);
  const input = await leanValue(deps, tenantId, { value: params.input, what: 'the input' });
  const { found, committedAt } = await changeRun(deps, caller, {
    ...params,
    refuse,
    propose: async (open) => {
      const { workItemId } = open.found.record;
      if (hasContinued(open, { workItemId, leaseFence, requestHash })) return ANSWERED;
      const { turn } = open;
      if (turn === null) throw refuse();
      return proposeContinuation(
        deps,
        { ...open, turn },
        { ...params, entries, input, requestHash },
      );
    },
  });
  if (committedAt !== null) {
    const work = await knownOf(deps, found);
    deps.report.count('items_completed', 1);
    const told = { endedAt: committedAt, error: null, usage: null, model: null };
    reportAttempt(deps, found, { ...work, ...told });
  }
  return { workItemId: found.record.workItemId };
}

const VERDICT = { continued: false };
const ANSWERED: RunChange<null> = { events: null, answer: null };

function hashOfRequest({ expectedLength, entries, input }: ContinueFunction): string {
  return hashJson({ expected_length: expectedLength, entries, input });
}

/** Whether the same request came before and its answer was lost: the next visit remembers it. */
function hasContinued({ known, found }: OpenRun, request: ContinueRequest): boolean {
  const { nodeId } = found.record;
  return known.state.live.values().some(({ nodeId: of, signal, run }) => {
    const by = signal?.is === 'continue' ? signal.by : (run?.begunBy ?? null);
    return of === nodeId && by !== null && isSame(by, request);
  });
}

function isSame(one: ContinueRequest, other: ContinueRequest): boolean {
  return (
    one.workItemId === other.workItemId &&
    one.leaseFence === other.leaseFence &&
    one.requestHash === other.requestHash
  );
}

async function proposeContinuation(
  deps: UseCaseDeps,
  open: AtWork,
  asked: Omit<ContinueFunction, 'input'> & {
    readonly input: JsonValue;
    readonly requestHash: string;
  },
): Promise<RunChange<null>> {
  const { visit, run } = open.turn;
  const judged = await judgeAppend(deps, open, { ...asked, verdict: VERDICT });
  const entries = judged === 'known' ? [] : asked.entries;
  checkUncompensated(open, entries);
  const { state } = open.known;
  const awaits = leavesChildren(state.undo, { ...visit, run });
  const continued: ExecutionEvent = {
    kind: 'NodeContinuedAsNew',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      attempt: visit.attempt,
      turn: run.turn,
      work_item_id: open.found.record.workItemId,
      lease_fence: asked.leaseFence,
      request_hash: asked.requestHash,
      input: asked.input,
      ...(awaits && { awaits_children: true }),
    },
  };
  return {
    events: [...recordedEvents(deps, open.turn, entries), continued],
    commit: {
      settles: [{ ...leaseOf(open.found), onlyIfExpired: false }],
      runnable: 'mark',
      ...endsWithFunction(state, { ...visit, run, awaits }),
    },
    answer: null,
  };
}

function checkUncompensated({ turn: { run } }: AtWork, entries: readonly JournalEntry[]): void {
  if (run.mode === 'rollback') {
    throw badRequest('a rollback cannot continue as new; run the compensations and complete');
  }
  const owed = owedAfter(run, entries).slice(0, 20);
  if (owed.length === 0) return;
  throw badRequest(
    `cannot continue as new while compensations are registered: ${owed.join(', ')}; ` +
      'run work that may be rolled back in a child',
    { compensations: owed },
  );
}
