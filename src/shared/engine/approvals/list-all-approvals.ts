import { openFunctionApprovals } from '../../domain/execution/function-waits.ts';
import { visitKey, type ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type {
  ApprovalCursor,
  ApprovalRow,
  DecidedApprovalRow,
  ListApprovals,
} from '../../store/readings/approvals.ts';
import { takePage } from '../../store/rows/take-page.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { redactEvent } from '../executions/redact-view.ts';
import { type Otherwise, otherwiseOf } from './otherwise.ts';

/** An approval of any execution of the tenant, as data policies show it. */
export interface ListedApproval {
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly step: string | null;
  readonly description: string | null;
  readonly requestedAt: string;
  /** How long it has waited, by the clock of the database; of a decided one, until the decision. */
  readonly ageSeconds: number;
  /** Null: it waits for ever, or its time stands still. */
  readonly dueAt: string | null;
  /** The consequence if nobody decides in time, and of a rejection. */
  readonly otherwise: Otherwise;
  readonly shown: JsonObject | null;
  readonly shownHash: string | null;
  readonly decided: Decided | null;
}

interface Decided {
  readonly decision: 'approved' | 'rejected';
  readonly userId: string | null;
  readonly actorId: string;
  readonly comment: string | null;
  readonly at: string;
}

export interface ApprovalPage {
  readonly approvals: readonly ListedApproval[];
  /** Null: this is the last page. */
  readonly next: ApprovalCursor | null;
}

type Params = Omit<ListApprovals, 'tenantId'>;

/**
 * The open approvals of all executions, oldest first. A page may have fewer rows than asked for: a
 * function may end before a person decides, and only its state shows that.
 */
export async function listOpenApprovals(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Params,
): Promise<ApprovalPage> {
  const { limit } = params;
  const read = await deps.store.approvals.listOpen({ ...params, tenantId, limit: limit + 1 });
  const { rows, last } = takePage(read, limit);
  const states = await loadStates(deps, rows, tenantId);
  const open = rows.filter((row) => isOpen(row, states));
  const now = open.length === 0 ? '' : await deps.store.diagnosis.clock();
  return {
    approvals: await Promise.all(
      open.map((row) => show(deps, row, { until: now, received: null })),
    ),
    next: last === undefined ? null : cursorAt(last, last.requested.createdAt),
  };
}

/** The decided ones of the last 90 days, latest decision first. */
export async function listDecidedApprovals(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Params,
): Promise<ApprovalPage> {
  const { limit } = params;
  const read = await deps.store.approvals.listDecided({ ...params, tenantId, limit: limit + 1 });
  const { rows, last } = takePage(read, limit);
  return {
    approvals: await Promise.all(
      rows.map(({ received, ...row }) =>
        show(deps, { ...row, dueAt: null }, { until: received.createdAt, received }),
      ),
    ),
    next: last === undefined ? null : cursorAt(last, last.received.createdAt),
  };
}

function cursorAt(row: Pick<ApprovalRow, 'executionId' | 'requested'>, at: string): ApprovalCursor {
  return { at, executionId: row.executionId, sequence: row.requested.sequence };
}

/** The states of executions with functions that wait for a decision; null: it has gone. */
async function loadStates(
  deps: EngineDeps,
  rows: readonly ApprovalRow[],
  tenantId: TenantId,
): Promise<ReadonlyMap<ExecutionId, ExecutionState | null>> {
  const ids = rows.flatMap(({ executionId, requested }) =>
    requested.payload.step === undefined ? [] : executionId,
  );
  const loaded = [...new Set(ids)].map(async (id) => {
    const found = await deps.store.executions.load(id, tenantId);
    return [id, found && foldLoaded(found, null)] as const;
  });
  return new Map(await Promise.all(loaded));
}

function isOpen(
  { executionId, requested }: ApprovalRow,
  states: ReadonlyMap<ExecutionId, ExecutionState | null>,
): boolean {
  const { visit, step } = requested.payload;
  if (step === undefined) return true;
  const live = states.get(executionId)?.live.get(visitKey(requested.nodeId, visit));
  return live !== undefined && openFunctionApprovals(live).some((wait) => wait.identity === step);
}

async function show(
  deps: EngineDeps,
  row: ApprovalRow,
  {
    until,
    received,
  }: { readonly until: string; readonly received: DecidedApprovalRow['received'] | null },
): Promise<ListedApproval> {
  const { plan } = await deps.definitions.get(row.definitionId);
  const requested = redactEvent(row.requested, plan, deps.pseudonym);
  if (requested.kind !== 'ApprovalRequested') throw new Error('an event changed its kind');
  const { payload } = requested;
  return {
    executionId: row.executionId,
    workflowId: row.workflowId,
    nodeId: requested.nodeId,
    visit: payload.visit,
    step: payload.step ?? null,
    description: payload.description,
    requestedAt: requested.createdAt,
    ageSeconds: secondsBetween(requested.createdAt, until),
    dueAt: row.dueAt,
    otherwise: otherwiseOf(plan, requested.nodeId, payload.step ?? null),
    shown: payload.shown ?? null,
    shownHash: payload.shown_hash ?? null,
    decided: received === null ? null : showDecision(deps, received, plan),
  };
}

/** Not below 0, because the clock of a database may be set back. */
function secondsBetween(from: string, until: string): number {
  return Math.max(0, Math.floor((Date.parse(until) - Date.parse(from)) / 1_000));
}

function showDecision(
  deps: EngineDeps,
  event: DecidedApprovalRow['received'],
  plan: Plan,
): Decided {
  const shown = redactEvent(event, plan, deps.pseudonym);
  if (shown.kind !== 'ApprovalReceived') throw new Error('an event changed its kind');
  const { decision, user_id: userId, comment } = shown.payload;
  return { decision, userId, comment, actorId: shown.actorId, at: shown.createdAt };
}
