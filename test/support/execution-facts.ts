import type { ExecutionFacts, ItemPlace } from '../../src/shared/domain/execution/explain/facts.ts';
import { questionsOf } from '../../src/shared/domain/execution/explain/questions.ts';
import type { ExecutionState } from '../../src/shared/domain/execution/state.ts';

/** The rows of an execution that waits: its items are queued, its timers run. */
export function factsAround(
  state: ExecutionState,
  changes: Partial<ExecutionFacts> = {},
): ExecutionFacts {
  const { workItemIds, timerNames } = questionsOf(state);
  const now = '2026-11-21T10:00:00.000Z';
  const queued: ItemPlace = {
    is: 'queued',
    queue: 'python_tool',
    attempt: 0,
    tool: 'm.f',
    enqueuedAt: now,
    startBefore: null,
    position: 1,
  };
  return {
    now,
    status: state.status,
    lastSequence: state.sequence,
    updatedAt: now,
    tenantStatus: 'active',
    isMarked: false,
    items: new Map(workItemIds.map((id) => [id, queued])),
    timers: new Map(
      timerNames
        .filter((name) => name.includes(':'))
        .map((name) => [name, '2026-11-21T11:00:00.000Z']),
    ),
    workers: new Map(),
    serving: [],
    schedulers: { seen: 1, lastSeenAt: now },
    ...changes,
  };
}
