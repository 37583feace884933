import type { JournalEntry } from '../function-events.ts';
import type { FunctionRun } from '../function-run.ts';
import { satisfiedEntries } from '../function-waits.ts';
import { timerName } from '../effect.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import { closeFunction, emit, liveVisitsThat, planNode, type Turn } from '../turn.ts';
import { moveFunctionTime } from './function-clock.ts';
import { holdUp } from './hold-up.ts';
import { judgeBudget } from './judge-budget.ts';

/**
 * Hands suspended functions what they wait for, and puts each back on its queue, once, if the budgets
 * allow another turn.
 */
export function answerFunctions(turn: Turn): boolean {
  let answered = false;
  for (const visit of liveVisitsThat(turn, isSuspended)) {
    const isReady = handOver(turn, visit) || visit.run?.suspension?.yields === true;
    if (!isReady) continue;
    answered = true;
    // As for a node that is entered: a turn is work that a budget may refuse.
    const held = visit.run?.mode === 'rollback' ? null : judgeBudget(turn);
    if (held === null) resume(turn, visit);
    else holdUp(turn, { ...visit, node: planNode(turn, visit.nodeId), held });
  }
  return answered;
}

function isSuspended({ phase, signal }: LiveVisit): boolean {
  return phase === 'suspended' && signal === null;
}

function resume(turn: Turn, { nodeId, visit, attempt, ...of }: LiveVisit): void {
  const { run, workItemId, queue, idempotencyKey } = of;
  if (run === null || workItemId === null)
    throw new Error(`${nodeId} has no item to continue with`);
  emit(turn, {
    kind: 'NodeResumed',
    nodeId,
    payload: {
      visit,
      work_item_id: workItemId,
      queue: queue ?? '',
      idempotency_key: idempotencyKey ?? '',
      turn: run.turn + 1,
    },
  });
  turn.effects.push({ do: 'requeue_work', nodeId, visit, attempt, workItemId });
  moveFunctionTime(turn, { nodeId, visit, run }, 'release_timer');
}

/**
 * Records the entries of the waits that are satisfied. Only while no worker has the item: a journal
 * never grows under a lease but by its holder. False: there are none.
 */
export function handOver(turn: Turn, { nodeId, visit, run }: LiveVisit): boolean {
  if (run === null || run.waits.length === 0) return false;
  const entries = satisfiedEntries(turn.draft, run.waits);
  if (entries.length === 0) return false;
  for (const step of timersLeft(run, entries)) {
    const about = { purpose: 'function_wait', nodeId, visit, step } as const;
    turn.effects.push({ do: 'cancel_timer', name: timerName(about) });
  }
  const position = run.recorded.size;
  const payload = { visit, turn: run.turn, position, entries };
  emit(turn, { kind: 'StepRecorded', nodeId, payload });
  return true;
}

/** Identities of satisfied waits whose timers have not fired. */
export function timersLeft(
  { waits }: FunctionRun,
  entries: readonly JournalEntry[],
): readonly string[] {
  const satisfied = new Set(entries.map(({ identity }) => identity));
  return waits
    .filter(({ identity, hasTimer, hasFired }) => hasTimer && !hasFired && satisfied.has(identity))
    .map(({ identity }) => identity);
}

/** Puts the item of a function back on its queue for its compensations alone. */
export function scheduleRollback(turn: Turn, { nodeId, visit, run, workItemId }: LiveVisit): void {
  if (run === null || workItemId === null || run.cause === null) {
    throw new Error(`${nodeId} has nothing to roll back`);
  }
  closeFunction(turn, { nodeId, visit, run });
  emit(turn, {
    kind: 'RollbackScheduled',
    nodeId,
    payload: {
      visit,
      turn: run.turn + 1,
      attempt: 0,
      work_item_id: workItemId,
      cause: run.cause.is,
      compensations: run.compensations.toReversed(),
    },
  });
  turn.effects.push({ do: 'requeue_work', nodeId, visit, attempt: 0, workItemId });
}

/** A retry takes over the journal of a visit that was under way. */
export function takeOverJournal(turn: Turn, nodeId: string, visit: number): void {
  const entries = turn.draft.carriedJournals[visitKey(nodeId, visit)] ?? [];
  if (entries.length === 0) return;
  const payload = { visit, turn: 0, position: 0, entries, carried: true } as const;
  emit(turn, { kind: 'StepRecorded', nodeId, payload });
}
