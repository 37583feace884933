import { decide } from '../../domain/execution/decide.ts';
import { emptyState } from '../../domain/execution/draft.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { evolve, type SequencedEvent } from '../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import { isSetAside } from '../../domain/execution/undo/due-undo.ts';
import { endingChildrenOf } from '../../domain/execution/undo/ending-children.ts';
import { DEFAULT_TENANT, executionIdFromUuid, type WorkItemId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { compilePlan } from '../../domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { builtInKinds } from '../../nodes/index.ts';
import { answerVisit, cancelChild, type NodeSample } from './answer-visit.ts';

export interface SimulationRequest {
  /** The stored form of a definition. */
  readonly ir: JsonObject;
  readonly input: JsonObject;
  /** Outcomes of nodes, by their ids; a node without one succeeds with the output null. */
  readonly samples: Readonly<Record<string, NodeSample>>;
}

export interface Simulation {
  readonly status: ExecutionStatus;
  readonly state: JsonObject;
  readonly error: string | null;
  readonly events: readonly SimulatedEvent[];
  /** Nodes that would have called something outside, and had no sample. */
  readonly assumed: readonly string[];
  /** False: the run was cut off after `SIMULATED_EVENTS_MAX` events. */
  readonly isComplete: boolean;
}

export interface SimulatedEvent {
  readonly sequence: number;
  readonly kind: string;
  readonly nodeId: string | null;
  readonly payload: JsonValue;
}

/** A loop without an end stops here. */
const SIMULATED_EVENTS_MAX = 2_000;
const EXECUTION_ID = executionIdFromUuid('00000000-0000-7000-8000-000000000000');

/**
 * Runs a definition in memory: the engine's own decisions, with a sample in place of everything that
 * works or waits outside. Nothing is called and nothing is stored.
 */
export function simulateRun({ ir, input, samples }: SimulationRequest): Simulation {
  const plan = compilePlan(ir, builtInKinds);
  const events: SequencedEvent[] = [];
  const assumed = new Set<string>();
  let state = emptyState({ executionId: EXECUTION_ID, tenantId: DEFAULT_TENANT });
  const record = (added: readonly ExecutionEvent[]) => {
    const sequenced = added.map((event, at) => ({ ...event, sequence: state.sequence + at + 1 }));
    events.push(...sequenced);
    return sequenced;
  };
  state = evolve({ state, events: record([startOf(plan, input)]), plan });
  while (!isTerminal(state.status) && events.length < SIMULATED_EVENTS_MAX) {
    const decision = decide({
      plan,
      state,
      newWorkItemId: createItemIds(state),
      tenantPolicy: {},
      budgets: [],
    });
    record(decision.events);
    state = decision.next;
    if (decision.more) continue;
    const answer = nextAnswer(state, { plan, samples, assumed });
    if (answer === null) break;
    state = evolve({ state, events: record(answer), plan });
  }
  return {
    status: state.status,
    state: state.data,
    error: state.error,
    events: events.map(({ sequence, kind, nodeId, payload }) => ({
      sequence,
      kind,
      nodeId,
      payload: payload as JsonValue,
    })),
    assumed: [...assumed],
    isComplete: events.length < SIMULATED_EVENTS_MAX,
  };
}

/** The answer to the first visit that waits for one; null: no visit does. */
function nextAnswer(
  state: ExecutionState,
  of: {
    readonly plan: Plan;
    readonly samples: SimulationRequest['samples'];
    readonly assumed: Set<string>;
  },
): readonly ExecutionEvent[] | null {
  const { plan, samples, assumed } = of;
  for (const visit of state.live.values()) {
    const node = plan.nodes.get(visit.nodeId);
    // An undo without attempts left waits for a person, and its sample would fail again.
    if (node === undefined || isSetAside(visit)) continue;
    const sample = Object.hasOwn(samples, node.id) ? samples[node.id] : undefined;
    const answer = answerVisit({ visit, node, sample: sample ?? {} });
    if (answer === null) continue;
    if (sample === undefined) assumed.add(node.id);
    return answer;
  }
  const ending = endingChildrenOf(state);
  return ending.length === 0 ? null : ending.map(cancelChild);
}

function startOf({ workflowId, version }: Plan, input: JsonObject): ExecutionEvent {
  return {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: workflowId,
      workflow_version: version,
      definition_id: 'simulated',
      input,
    },
  };
}

/** Items are named after the events that they come with, so that the same run has the same names. */
function createItemIds({ sequence }: ExecutionState): () => WorkItemId {
  let made = 0;
  return () => {
    made += 1;
    return `item-${sequence}-${made}` as WorkItemId;
  };
}
