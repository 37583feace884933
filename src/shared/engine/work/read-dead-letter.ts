import { redact } from '../../domain/data-policy/redact.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import { notFound } from '../../domain/errors.ts';
import { parseWorkItemId, type TenantId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { WorkItemRecord } from '../../domain/work/work-item.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { FoundWorkItem } from '../../store/work.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { undosToGiveUp } from '../executions/cancel-execution.ts';
import { redactEvent } from '../executions/redact-view.ts';
import { whyNotRequeued } from './requeue-work-item.ts';
import { showDeadLetter, type ShownDeadLetter } from './show-dead-letters.ts';

export interface ReadDeadLetter extends ShownDeadLetter {
  readonly workflowId: string;
  readonly executionStatus: ExecutionStatus;
  readonly visit: number;
  readonly attemptsMax: number;
  /** Null also when `isInputHidden`. */
  readonly input: JsonValue;
  /** A data policy keeps back outputs, which the input may quote. */
  readonly isInputHidden: boolean;
  /** Those of its visit, oldest first; at most `FAILURES_MAX`, the latest. */
  readonly failures: readonly FailedAttempt[];
  /** Why these are not possible; null: they are. */
  readonly requeueRefusal: string | null;
  readonly giveUpRefusal: string | null;
}

export interface FailedAttempt {
  readonly attempt: number;
  readonly error: string;
  readonly failedAt: string;
  readonly workerId: string | null;
}

const FAILURES_MAX = 50;
/** So many failures of the execution, the latest, are looked through. */
const EVENTS_MAX = 500;

/** All that a person needs who decides about one dead letter. */
export async function readDeadLetter(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: { readonly workItemId: string },
): Promise<ReadDeadLetter> {
  const { work, executions, artifacts } = deps.store;
  const workItemId = parseWorkItemId(params.workItemId);
  const found = workItemId && (await work.find(workItemId, tenantId));
  const loaded = found && (await executions.load(found.record.executionId, tenantId));
  if (workItemId === null || found === null || loaded === null) {
    throw notFound(`work item ${params.workItemId}`);
  }
  const letter = await work.findDeadLetter(workItemId, tenantId);
  if (letter === null) throw notFound(tellPlace(found));
  const { record } = found;
  const { row } = loaded;
  const { plan } = await deps.definitions.get(row.definitionId);
  const [raw] = await resolveReferences(artifacts, {
    tenantId,
    values: [record.payload['input'] ?? null],
  });
  const input = showInput(deps, plan, raw);
  const state = foldLoaded(loaded, plan);
  return {
    ...(await showDeadLetter(deps, letter, { plan, state, row })),
    workflowId: row.workflowId,
    executionStatus: row.status,
    visit: record.visit,
    attemptsMax: record.retryPolicy.maxAttempts,
    input: input ?? null,
    isInputHidden: input === undefined,
    failures: await readFailures(deps, record, plan),
    requeueRefusal: whyNotRequeued(record, row.status, state),
    giveUpRefusal: await whyNotGivenUp(deps, { record, status: row.status, plan, state, tenantId }),
  };
}

function tellPlace({ record, place }: FoundWorkItem): string {
  const is = {
    queued: 'it is on its queue',
    leased: 'a worker has it',
    retrying: 'it waits for its next attempt',
    settled: 'it is settled',
    dead_lettered: 'it has just changed: read it again',
  }[place];
  return (
    `work item ${record.workItemId} is not a dead letter: ${is}; ` +
    `GET /executions/${record.executionId}/explain says more`
  );
}

/** The input may quote the state, so the rules for the state apply. Undefined: it is hidden. */
function showInput(
  { pseudonym }: EngineDeps,
  { shownPolicy, nodes }: Plan,
  input: JsonValue,
): JsonValue | undefined {
  if (shownPolicy === null) return input;
  const keepsBack = nodes.values().some(({ dataPolicy }) => dataPolicy?.retainOutputs === false);
  if (keepsBack || !shownPolicy.retainOutputs) return undefined;
  return redact(input, shownPolicy, pseudonym);
}

async function readFailures(
  deps: EngineDeps,
  { executionId, nodeId, visit }: WorkItemRecord,
  plan: Plan,
): Promise<readonly FailedAttempt[]> {
  const events = await deps.store.executions.eventsBetween({
    executionId,
    after: 0,
    before: null,
    kinds: ['NodeFailed'],
    order: 'desc',
    limit: EVENTS_MAX,
  });
  return events
    .filter((event) => event.nodeId === nodeId)
    .flatMap((event) => failureOf(redactEvent(event, plan, deps.pseudonym), visit))
    .slice(0, FAILURES_MAX)
    .toReversed();
}

function failureOf(event: RecordedEvent, visit: number): readonly FailedAttempt[] {
  if (event.kind !== 'NodeFailed' || event.payload.visit !== visit) return [];
  const { attempt, error, worker_id: workerId = null } = event.payload;
  return [{ attempt, error, failedAt: event.createdAt, workerId }];
}

/** Why a cancel of the execution does not give the item up; null: it does. */
async function whyNotGivenUp(
  deps: EngineDeps,
  of: {
    readonly record: WorkItemRecord;
    readonly status: ExecutionStatus;
    readonly plan: Plan;
    readonly state: ExecutionState;
    readonly tenantId: TenantId;
  },
): Promise<string | null> {
  const { executionId, nodeId, visit, workItemId } = of.record;
  const { state } = of;
  if (isTerminal(of.status)) return `execution ${executionId} has ended`;
  if (state.live.get(visitKey(nodeId, visit))?.workItemId !== workItemId) {
    return `node ${nodeId} of execution ${executionId} no longer waits for the item`;
  }
  if (state.ending === null) return null;
  const dead = await undosToGiveUp(deps, of);
  return dead === null
    ? `execution ${executionId} is ending, and more than dead letters of undos is left to do`
    : null;
}
