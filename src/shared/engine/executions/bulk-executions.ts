import type { Caller, Reader } from '../caller.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { cancelExecution } from './cancel-execution.ts';
import { type ExecutionFilter, searchExecutions } from './search-executions.ts';
import { listExecutions } from './list-shown.ts';
import { pauseExecution, resumeExecution } from './pause-execution.ts';
import { retryExecution } from './retry-execution.ts';
import { SvcError } from '../../domain/errors.ts';
import type { ExecutionStatus, TerminalStatus } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { ExecutionRow, ListExecutions } from '../../store/store.ts';

/*
 * One action on many executions. It handles each execution separately, like a single request, and
 * every such request may be repeated. So an interrupted bulk is simply repeated, and needs no state
 * of its own. A caller continues with the cursor, one page after another.
 */

export const BULK_ACTIONS = ['cancel', 'pause', 'resume', 'retry'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/**
 * The statuses that an action covers unless the caller names some. The order matters: the status
 * that an action results in must not be listed after it.
 */
const STATUSES: Readonly<Record<BulkAction, readonly ExecutionStatus[]>> = {
  cancel: ['running', 'paused'],
  pause: ['paused', 'running'],
  resume: ['paused'],
  retry: ['failed'],
};

/** A `status` of null: those that the action is for. */
export type BulkFilter = ExecutionFilter;

/** Where to continue: the status, and the last execution. */
export interface BulkCursor {
  readonly status: ExecutionStatus;
  readonly after: ListExecutions['cursor'];
}

export interface BulkRequest {
  readonly action: BulkAction;
  readonly filter: BulkFilter;
  readonly reason: string | null;
  readonly cursor: BulkCursor | null;
  /** How many are acted upon, or shown, at most. */
  readonly max: number;
}

/** `refused`: it is in no state for it; `error` says why. */
export interface BulkOutcome {
  readonly row: ExecutionRow;
  readonly outcome: 'done' | 'refused';
  readonly error: string | null;
  /** The execution in which it was tried again, now or earlier. */
  readonly retriedAs: ExecutionId | null;
  /** How a cancelled one ends once its undos and finalizers are done; null: it has ended. */
  readonly ending: TerminalStatus | null;
}

export interface BulkAnswer {
  readonly outcomes: readonly BulkOutcome[];
  /** Null: there are no more. */
  readonly next: BulkCursor | null;
}

export async function bulkExecutions(
  deps: UseCaseDeps,
  caller: Caller,
  request: BulkRequest,
): Promise<BulkAnswer> {
  const { rows, next } = await listPage(deps, caller, request);
  const act = (row: ExecutionRow) => actOn({ deps, caller, request }, row);
  const outcomes: BulkOutcome[] = [];
  const atOnce = AT_ONCE[request.action];
  for (let at = 0; at < rows.length; at += atOnce) {
    const part = rows.slice(at, at + atOnce);
    outcomes.push(...(await Promise.all(part.map(act))));
  }
  return { outcomes, next };
}

/**
 * So many executions are read together, and change in the same batches of commits. A retry reads
 * whole histories.
 */
const AT_ONCE: Readonly<Record<BulkAction, number>> = {
  cancel: 100,
  pause: 100,
  resume: 100,
  retry: 16,
};

export interface BulkPreview {
  /** The first of them. */
  readonly rows: readonly ExecutionRow[];
  readonly total: number;
  /** False: there are more, and they were not counted. */
  readonly isExact: boolean;
}

/** The executions that it would act upon now. Changes nothing. */
export async function previewBulk(
  deps: UseCaseDeps,
  reader: Reader,
  request: BulkRequest,
): Promise<BulkPreview> {
  const first: ExecutionRow[] = [];
  let total = 0;
  let cursor: BulkCursor | null = request.cursor;
  let pages = 0;
  do {
    const page = await listPage(deps, reader, { ...request, cursor, max: COUNTED_AT_ONCE });
    first.push(...page.rows.slice(0, request.max - first.length));
    total += page.rows.length;
    cursor = page.next;
    pages += 1;
  } while (cursor !== null && total < COUNTED_MAX && pages < PAGES_MAX);
  return { rows: first, total, isExact: cursor === null };
}

const COUNTED_AT_ONCE = 500;
const COUNTED_MAX = 10_000;
/** With a query, a page may have looked through many executions and found few. */
const PAGES_MAX = 40;

async function listPage(
  deps: UseCaseDeps,
  reader: Reader,
  { action, filter, cursor, max }: BulkRequest,
): Promise<{ readonly rows: readonly ExecutionRow[]; readonly next: BulkCursor | null }> {
  const { status: wanted } = filter;
  const statuses = wanted === null ? STATUSES[action] : [wanted];
  const rows: ExecutionRow[] = [];
  const begin = cursor === null ? 0 : Math.max(0, statuses.indexOf(cursor.status));
  for (const status of statuses.slice(begin)) {
    const limit = max - rows.length;
    const after = status === cursor?.status ? cursor.after : null;
    const page = await readPart(deps, reader, {
      filter: { ...filter, status },
      cursor: after,
      limit,
    });
    rows.push(...page.rows);
    if (page.next !== null) return { rows, next: { status, after: page.next } };
  }
  return { rows, next: null };
}

/** Without conditions of a query, the list finds a page faster than a search. */
async function readPart(
  deps: UseCaseDeps,
  reader: Reader,
  params: {
    readonly filter: BulkFilter;
    readonly cursor: ListExecutions['cursor'];
    readonly limit: number;
  },
): Promise<{ readonly rows: readonly ExecutionRow[]; readonly next: ListExecutions['cursor'] }> {
  const { filter, ...page } = params;
  if (filter.conditions.length > 0) return searchExecutions(deps, reader, params);
  const { conditions: _, ...own } = filter;
  const rows = await listExecutions(deps, reader, { ...own, ...page, offset: 0 });
  const last = rows.length === page.limit ? rows.at(-1) : undefined;
  const next = last && { createdAt: last.createdAt, executionId: last.executionId };
  return { rows, next: next ?? null };
}

async function actOn(
  asked: { readonly deps: UseCaseDeps; readonly caller: Caller; readonly request: BulkRequest },
  row: ExecutionRow,
): Promise<BulkOutcome> {
  const { deps, caller } = asked;
  const { action, reason } = asked.request;
  const { executionId } = row;
  const listed = { executionId, isListed: true } as const;
  const done = { row, outcome: 'done', error: null, retriedAs: null, ending: null } as const;
  try {
    switch (action) {
      case 'cancel':
        return { ...done, ending: (await cancelExecution(deps, caller, listed)).ending };
      case 'pause':
        await pauseExecution(deps, caller, { ...listed, reason });
        return done;
      case 'resume':
        await resumeExecution(deps, caller, listed);
        return done;
      case 'retry': {
        const retried = await retryExecution(deps, caller, {
          executionId,
          statePatch: null,
          revision: 'same',
        });
        return { ...done, retriedAs: retried.executionId };
      }
    }
  } catch (error) {
    // An error that would refuse all the others too, such as a limit or an outage, is not an
    // outcome of this one.
    if (!(error instanceof SvcError) || !REFUSALS.has(error.status)) throw error;
    const retriedAs = error.body?.['retried_as'] ?? null;
    return {
      row,
      outcome: 'refused',
      error: error.message,
      retriedAs: typeof retriedAs === 'string' ? (retriedAs as ExecutionId) : null,
      ending: null,
    };
  }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 404, 409]);
