import { evolve } from '../../domain/execution/evolve.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import type { StartedExecution } from '../../store/commit.ts';
import { startedChild } from './family.ts';
import type { Held } from './held-execution.ts';
import { outcomeFacts } from './outcome-facts.ts';
import type { Mail } from './runner-mailbox.ts';

/** The mail as events: the progress of items, and their outcomes. */
export function factsOf(held: Held, { noted, settled }: Mail): ExecutionEvent[] {
  const facts = noted.map(({ item, progress }): ExecutionEvent => {
    const { nodeId, visit, attempt, workItemId } = item.ticket;
    const payload = { visit, attempt, work_item_id: workItemId, ...progress };
    return { kind: 'NodeProgress', nodeId, payload };
  });
  for (const { item, outcome } of settled) {
    const { nodeId, visit, idempotencyKey } = item.ticket;
    const node = held.compiled.plan.nodes.get(nodeId);
    const live = held.state.live.get(visitKey(nodeId, visit));
    if (node === undefined || live === undefined) continue;
    const attempt = item.ticket;
    facts.push(...outcomeFacts({ node, visit: live, attempt, idempotencyKey, outcome }));
  }
  return facts;
}

/** The state after the facts. */
export function foldFacts(held: Held, facts: readonly ExecutionEvent[]): ExecutionState {
  return evolve({
    state: held.state,
    events: facts.map((event, index) => ({
      ...event,
      sequence: held.state.sequence + index + 1,
    })),
    plan: held.compiled.plan,
  });
}

/** The executions that the settled items start. */
export function childrenOf(
  { state, row, tenant }: Held,
  { settled }: Mail,
): readonly StartedExecution[] {
  const waitsForPlace = tenant.limits.max_concurrent_executions !== undefined;
  return settled.flatMap(({ item: { ticket }, outcome }) =>
    outcome.ok === 'child'
      ? startedChild(outcome.child, {
          ...ticket,
          parent: state,
          priority: row.priority,
          waitsForPlace,
        })
      : [],
  );
}
