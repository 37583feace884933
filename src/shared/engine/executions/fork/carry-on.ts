import type { CarriedPayload } from '../../../domain/execution/event-payloads.ts';
import type { ExecutionEvent, RecordedEvent } from '../../../domain/execution/event.ts';
import { hasLabels, type Labels } from '../../../domain/execution/labels/labels.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { GivenRules } from '../../../domain/workflow/flow/given-rules.ts';
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

/** The input that a history begins with, or that of its batch. */
export interface HistoryInput {
  readonly input: JsonObject;
  readonly isBatch: boolean;
  /** Rules that its start brought. */
  readonly startRules: GivenRules | null;
  /** A node was entered, so its input is never replaced by that of a batch. */
  readonly hasBegun: boolean;
}

/** Gives every event to `add`, piece by piece, and returns the input as of the event `until`. */
export async function readWholeHistory(
  { store: { executions }, timers }: UseCaseDeps,
  row: ExecutionRow,
  {
    add,
    until = Infinity,
  }: {
    readonly add: (piece: readonly RecordedEvent[]) => void;
    readonly until?: number;
  },
): Promise<HistoryInput> {
  const { executionId, lastSequence } = row;
  let found: FoundInput | null = null;
  let startRules: GivenRules | null = null;
  let hasBegun = false;
  let after = 0;
  while (after < lastSequence) {
    const page = await readEventsOf(executions, { row, after, limit: PAGE_EVENTS });
    for (const event of page) {
      found = inputIn(event, until) ?? found;
      if (event.kind === 'WorkflowStarted') startRules = event.payload.start_rules ?? null;
      hasBegun ||= event.sequence <= until && isProgress(event);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    add(page);
    after = last.sequence;
    await letOthersRun(timers);
  }
  if (found === null || after < lastSequence) {
    throw new Error(`the history of ${executionId} is not whole`);
  }
  return { ...found, startRules, hasBegun };
}

function isProgress(event: RecordedEvent): boolean {
  if (event.kind !== 'WorkflowStarted') return event.kind === 'NodeScheduled';
  return (event.payload.carried?.settled_nodes.length ?? 0) > 0;
}

type FoundInput = Pick<HistoryInput, 'input' | 'isBatch'>;

function inputIn(event: RecordedEvent, until: number): FoundInput | null {
  if (event.sequence > until) return null;
  switch (event.kind) {
    case 'WorkflowStarted':
      return { input: event.payload.input, isBatch: event.payload.is_batch === true };
    case 'BatchClosed':
      return { input: event.payload.input, isBatch: true };
    default:
      return null;
  }
}

type StartPayload = Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>['payload'];

export interface CarryingOn {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  readonly workflowPause: StandingPause | null;
  readonly executionId: ExecutionId;
  readonly history: HistoryInput;
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
        input: of.history.input,
        ...(of.history.isBatch && { is_batch: true }),
        ...(hasLabels(labels) && { labels }),
        ...(of.history.startRules !== null && { start_rules: of.history.startRules }),
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
    gathers: !of.history.hasBegun,
  });
}
