import { isDeepStrictEqual } from 'node:util';

import { decide } from '../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../src/shared/domain/execution/draft.ts';
import type { ExecutionEvent } from '../../src/shared/domain/execution/event.ts';
import { evolve, type SequencedEvent } from '../../src/shared/domain/execution/evolve.ts';
import type { ExecutionState } from '../../src/shared/domain/execution/state.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../../src/shared/domain/ids.ts';
import { compilePlan } from '../../src/shared/domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../../src/shared/domain/workflow/plan/plan.ts';
import type { Dump, EventOf, ExecutionOf } from '../invariants/dump.ts';
import { byExecution } from '../invariants/checks/check-histories.ts';
import { violations, type Violation } from '../invariants/violation.ts';
import { KINDS } from './database.ts';
import { type WorkflowName, WORKFLOWS } from './workflows.ts';

/** An accepted commit after which nothing is left to decide: its first and its last event. */
export interface DecidedCommit {
  readonly executionId: string;
  readonly first: number;
  readonly last: number;
}

/**
 * A commit that decides has facts first, and then all that follows from them, as one function derives
 * it. So the history is the same whether a start, a completion, a turn or a scheduler decides.
 */
export function checkDecisions(
  dump: Dump | undefined,
  commits: readonly DecidedCommit[],
): { readonly violations: readonly Violation[]; readonly judged: number } {
  if (dump === undefined) return { violations: [], judged: 0 };
  const stories = byExecution(dump);
  const executions = new Map(dump.executions.map((one) => [one.id, one]));
  const folds = new Map<string, readonly ExecutionState[]>();
  let judged = 0;
  const found = violations('a commit decides as a scheduler does', commits, (commit) => {
    const execution = executions.get(commit.executionId);
    const story = stories.get(commit.executionId);
    // Retention has removed it.
    if (execution === undefined || story === undefined) return null;
    // Amounts that no event of it tells are part of the decision.
    if (hasBudget(execution, executions)) return null;
    judged += 1;
    const plan = planOf(execution);
    const about = { execution: execution.id, sequence: commit.first };
    try {
      const states = folds.get(execution.id) ?? foldAll(execution, story, plan);
      folds.set(execution.id, states);
      const events = story.slice(commit.first - 1, commit.last);
      const follows = events.map(comparable);
      const factsMax = countFactsAtMost(events);
      const afterFacts = states.slice(commit.first - 1, commit.first + factsMax);
      const decisions = afterFacts.map((state) => decideOn(plan, state));
      if (decisions.some((decided, facts) => isDeepStrictEqual(decided, follows.slice(facts)))) {
        return null;
      }
      const saw = `${JSON.stringify(follows)}, decided it is ${JSON.stringify(decisions)}`;
      return { about, saw };
    } catch (error) {
      return { about, saw: `a history that the engine cannot read: ${String(error)}` };
    }
  });
  return { violations: found, judged };
}

/** Nothing but a decision makes these, so the facts of a commit come before the first of them. */
const DECIDED = new Set(['NodeScheduled', 'NodeSkipped', 'WorkflowCompleted']);

function countFactsAtMost(events: readonly EventOf[]): number {
  const first = events.findIndex(({ kind }) => DECIDED.has(kind));
  return first < 0 ? events.length : first;
}

/** Some of the facts of one commit may make no sense without the others: then nothing follows. */
function decideOn(plan: Plan, state: ExecutionState): readonly unknown[] | string {
  const given = { newWorkItemId, tenantPolicy: {}, budgets: [] };
  try {
    return decide({ plan, state, ...given }).events.map(comparable);
  } catch (error) {
    return String(error);
  }
}

const newWorkItemId = (): WorkItemId => 'item' as WorkItemId;

const plans = new Map<string, Plan>();

function planOf({ workflow_id }: ExecutionOf): Plan {
  const ir = WORKFLOWS[workflow_id as WorkflowName];
  const plan = plans.get(workflow_id) ?? compilePlan({ workflow_id, ...ir }, KINDS);
  plans.set(workflow_id, plan);
  return plan;
}

/** The budget may be that of an ancestor, which retention may have removed. */
function hasBudget(execution: ExecutionOf, all: ReadonlyMap<string, ExecutionOf>): boolean {
  if (planOf(execution).budget !== null) return true;
  const { parent_execution_id: parentId } = execution;
  if (parentId === null) return false;
  const parent = all.get(parentId);
  return parent === undefined || hasBudget(parent, all);
}

/** The states before the first event, and after each. */
function foldAll(
  { id, tenant_id }: ExecutionOf,
  story: readonly EventOf[],
  plan: Plan,
): readonly ExecutionState[] {
  const ids = { executionId: id as ExecutionId, tenantId: tenant_id as TenantId };
  const states = [emptyState(ids)];
  for (const event of story) {
    const state = states.at(-1) ?? emptyState(ids);
    states.push(evolve({ state, events: [readEvent(event)], plan }));
  }
  return states;
}

function readEvent({ kind, node_id: nodeId, payload, sequence }: EventOf): SequencedEvent {
  return { kind, nodeId, payload, sequence } as unknown as SequencedEvent;
}

/** Without new ids of items and of next runs, which differ from decision to decision. */
function comparable(event: ExecutionEvent | EventOf): unknown {
  const nodeId = 'nodeId' in event ? event.nodeId : event.node_id;
  const { work_item_id: _, ...others } = event.payload as Record<string, unknown>;
  const payload = { ...others, ...('continued_as' in others && { continued_as: 'the next run' }) };
  return { kind: event.kind, nodeId, payload: JSON.parse(JSON.stringify(payload)) as unknown };
}
