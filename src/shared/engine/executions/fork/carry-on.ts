import type { CarriedPayload } from '../../../domain/execution/event-payloads.ts';
import type { ExecutionEvent, RecordedEvent } from '../../../domain/execution/event.ts';
import { hasLabels, type Labels } from '../../../domain/execution/labels/labels.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { StandingPause } from '../../../domain/workflow/workflow-pause.ts';
import type { CommitVerdict, NewExecution } from '../../../store/commit.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import type { CompiledDefinition } from '../../advance/definition-cache.ts';
import { readEventsOf } from '../../advance/load-execution.ts';
import type { Caller } from '../../caller.ts';
import { letOthersRun } from '../../scheduling/in-pieces.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { beginExecution } from '../begin-execution.ts';

/* Retries and forks share this: both begin with what another execution recorded. */

/** So many events are held at a time, however long the history is. */
const PAGE_EVENTS = 1_000;

/** Gives every event to `add`, piece by piece, and returns the input that the history begins with. */
export async function readWholeHistory(
  { store: { executions }, timers }: UseCaseDeps,
  row: ExecutionRow,
  add: (piece: readonly RecordedEvent[]) => void,
): Promise<JsonObject> {
  const { executionId, lastSequence } = row;
  let input: JsonObject | null = null;
  let after = 0;
  while (after < lastSequence) {
    const page = await readEventsOf(executions, { row, after, limit: PAGE_EVENTS });
    const [first] = page;
    if (first?.kind === 'WorkflowStarted') input = first.payload.input;
    const last = page.at(-1);
    if (last === undefined) break;
    add(page);
    after = last.sequence;
    await letOthersRun(timers);
  }
  if (input === null || after < lastSequence) {
    throw new Error(`the history of ${executionId} is not whole`);
  }
  return input;
}

type StartPayload = Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>['payload'];

export interface CarryingOn {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  readonly workflowPause: StandingPause | null;
  readonly executionId: ExecutionId;
  readonly input: JsonObject;
  readonly labels: Labels;
  readonly carried: CarriedPayload;
  readonly from: Pick<StartPayload, 'retried_from' | 'forked_from'>;
  readonly request: NewExecution['request'];
  readonly isDerived: boolean;
}

/** Begins the execution that carries on; what was used before counts against its budget. */
export function carryOn(
  deps: UseCaseDeps,
  { tenantId, actorId }: Caller,
  of: CarryingOn,
): Promise<CommitVerdict> {
  const { compiled, executionId, carried, labels } = of;
  const { definition, plan } = compiled;
  const spent = {
    inputTokens: carried.usage.input_tokens,
    outputTokens: carried.usage.output_tokens,
    costUsd: carried.usage.cost_usd ?? 0,
  };
  return beginExecution(deps, {
    compiled,
    workflowPause: of.workflowPause,
    executionId,
    tenantId,
    actorId,
    started: {
      kind: 'WorkflowStarted',
      nodeId: null,
      payload: {
        workflow_id: definition.workflowId,
        workflow_version: definition.version,
        definition_id: definition.definitionId,
        input: of.input,
        ...(hasLabels(labels) && { labels }),
        ...of.from,
        carried,
      },
    },
    priority: of.row.priority,
    request: of.request,
    budgets: plan.budget === null ? [] : [{ account: executionId, budget: plan.budget, spent }],
    ...(Object.values(spent).some((used) => used > 0) && { charge: spent }),
    refusesUnknown: false,
    ...(of.isDerived && { isDerived: true }),
  });
}
