import { decide } from '../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../src/shared/domain/execution/draft.ts';
import type { Effect } from '../../src/shared/domain/execution/effect.ts';
import type { ExecutionEvent } from '../../src/shared/domain/execution/event.ts';
import { evolve, type SequencedEvent } from '../../src/shared/domain/execution/evolve.ts';
import { type ExecutionState, type LiveVisit } from '../../src/shared/domain/execution/state.ts';
import { isTerminal } from '../../src/shared/domain/execution/status.ts';
import { DEFAULT_TENANT, type ExecutionId, type WorkItemId } from '../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import type { HeldBudget } from '../../src/shared/domain/budget/budget.ts';
import type { Policy } from '../../src/shared/domain/policy/policy.ts';
import type { Plan } from '../../src/shared/domain/workflow/plan/plan.ts';
import { readWorkflow } from '../../src/shared/domain/workflow/parse/read-workflow.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';

/** The plan of a valid workflow. */
export function planOf(ir: JsonObject): Plan {
  const read = readWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds: builtInKinds });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
}

function firstEvent(input: JsonObject): ExecutionEvent {
  return {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: { workflow_id: 'w', workflow_version: '1.0.0', definition_id: 'd', input },
  };
}

function itemId(number: number): WorkItemId {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as WorkItemId;
}

/** An execution in memory: it records facts and decides consequences, and stores nothing. */
export class History {
  readonly plan: Plan;
  readonly events: SequencedEvent[] = [];
  readonly effects: Effect[] = [];
  tenantPolicy: Policy = {};
  budgets: readonly HeldBudget[] = [];
  state: ExecutionState;
  #nextItem = 0;
  readonly #keep: (state: ExecutionState) => ExecutionState;

  /** Between two steps, `keep` receives and returns the state, like a store. */
  constructor(
    plan: Plan,
    input: JsonObject = {},
    keep: (state: ExecutionState) => ExecutionState = (state) => state,
    started: ExecutionEvent = firstEvent(input),
  ) {
    this.plan = plan;
    this.#keep = keep;
    this.state = emptyState({
      executionId: 'exec_0198c0de00007000a000000000000001' as ExecutionId,
      tenantId: DEFAULT_TENANT,
    });
    this.record(started);
  }

  /** Records facts and all their consequences. */
  record(...facts: ExecutionEvent[]): void {
    this.#append(facts);
    for (;;) {
      const decision = decide({
        plan: this.plan,
        state: this.#keep(this.state),
        newWorkItemId: () => itemId((this.#nextItem += 1)),
        tenantPolicy: this.tenantPolicy,
        budgets: this.budgets,
      });
      this.effects.push(...decision.effects);
      let sequence = this.state.sequence;
      this.events.push(
        ...decision.events.map((event) => ({ ...event, sequence: (sequence += 1) })),
      );
      this.state = decision.next;
      if (!decision.more) return;
    }
  }

  complete(nodeId: string, output: JsonValue = {}, statePatch?: JsonObject): void {
    const { visit } = this.live(nodeId);
    const payload = { visit, output, ...(statePatch && { state_patch: statePatch }) };
    this.record({ kind: 'NodeCompleted', nodeId, payload });
  }

  fail(nodeId: string, retryable = false): void {
    const { visit, attempt } = this.live(nodeId);
    const payload = { visit, attempt, error: 'broke', error_class: 'error', retryable };
    this.record({ kind: 'NodeFailed', nodeId, payload });
  }

  fireTimer(nodeId: string, purpose: 'wait' | 'approval_timeout' = 'wait'): void {
    const { visit } = this.live(nodeId);
    this.record({ kind: 'TimerFired', nodeId, payload: { purpose, visit } });
  }

  approve(nodeId: string, decision: 'approved' | 'rejected', statePatch?: JsonObject): void {
    const { visit } = this.live(nodeId);
    const payload = {
      visit,
      decision,
      user_id: 'kim',
      comment: 'seen',
      ...(statePatch && { state_patch: statePatch }),
    };
    this.record({ kind: 'ApprovalReceived', nodeId, payload });
  }

  deliver(correlationKey: string, payload: JsonValue): void {
    this.record({
      kind: 'ExternalEventReceived',
      nodeId: null,
      payload: { correlation_key: correlationKey, payload },
    });
  }

  /** The oldest live visit of a node. */
  live(nodeId: string): LiveVisit {
    const found = this.state.live.values().find((visit) => visit.nodeId === nodeId);
    if (found === undefined)
      throw new Error(`${nodeId} is not live: ${this.liveNodes().join(', ')}`);
    return found;
  }

  liveNodes(): string[] {
    return [...this.state.live.values()].map((visit) => visit.nodeId);
  }

  /** The events as `Kind node`. */
  story(): string[] {
    return this.events.map(({ kind, nodeId }) => (nodeId === null ? kind : `${kind} ${nodeId}`));
  }

  /** The state from a fold of the whole log, as a reader in another process sees it. */
  refold(): ExecutionState {
    const { executionId, tenantId } = this.state;
    const state = emptyState({ executionId, tenantId });
    return evolve({ state, events: this.events, plan: this.plan });
  }

  ended(): boolean {
    return isTerminal(this.state.status);
  }

  #append(facts: readonly ExecutionEvent[]): void {
    const sequenced = facts.map((event, index) => ({
      ...event,
      sequence: this.state.sequence + index + 1,
    }));
    this.events.push(...sequenced);
    for (const event of sequenced) {
      const state = this.#keep(this.state);
      this.state = evolve({ state, events: [event], plan: this.plan });
    }
  }
}
