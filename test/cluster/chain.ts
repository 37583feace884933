import type { ExecutionContext } from 'ava';

import type { Execution, ExecutionEvent } from '../support/wire.ts';

/**
 * Five calls in a row; each leaves its result in the state. An item is retried, however many
 * workers and processes it loses.
 */
export const STEPS = ['s1', 's2', 's3', 's4', 's5'] as const;

export const chain = {
  workflow_id: 'chain',
  nodes: Object.fromEntries(
    STEPS.map((step) => [
      step,
      {
        kind: 'python_fn',
        module: 'chain',
        function: 'step',
        output_key: step,
        retry_policy: { max_attempts: 20, initial_delay: 0 },
      },
    ]),
  ),
  edges: STEPS.slice(1).map((to, index) => ({ from: STEPS[index] ?? '', to })),
};

const TERMINAL = /^Workflow(Completed|Failed|Cancelled)$/;

/** Asserts that every step was done once and in order, despite all failures. */
export function assertDoneOnce(
  t: ExecutionContext,
  { execution, events }: { execution: Execution; events: readonly ExecutionEvent[] },
): void {
  const id = execution.execution_id;
  const kinds = events.map(({ kind }) => kind);
  t.is(execution.status, 'completed', id);
  t.is(execution.steps_executed, STEPS.length, id);
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
    id,
  );
  t.is(kinds[0], 'WorkflowStarted', id);
  t.is(kinds.at(-1), 'WorkflowCompleted', id);
  t.is(kinds.filter((kind) => TERMINAL.test(kind)).length, 1, id);
  for (const kind of ['NodeScheduled', 'ToolCallCompleted', 'NodeCompleted']) {
    const nodes = events.filter((event) => event.kind === kind).map((event) => event.node_id);
    t.deepEqual(nodes, [...STEPS], `${id}: ${kind}`);
  }
  // The key of each call is the one that its node was scheduled with.
  const keys = events
    .filter(({ kind }) => kind === 'NodeScheduled')
    .map(({ payload }) => payload['idempotency_key']);
  t.is(new Set(keys).size, STEPS.length, id);
  t.deepEqual(
    STEPS.map((step) => execution.state[step]),
    keys.map((key) => ({ key: key ?? null })),
    id,
  );
}
