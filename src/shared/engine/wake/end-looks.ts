import type { ExecutionId } from '../../domain/ids.ts';
import type { ExecutionStore } from '../../store/store.ts';
import type { Cancel, Timers } from '../scheduling/timers.ts';

/**
 * Looks whether awaited executions have ended, in case the hint of an end is lost. One timer looks for
 * all waiters of the process: with a timer for each, 5000 waiters take four times the processor time.
 */
export interface EndLooks {
  /** Calls `onEnd` at each look that finds the end, until it is cancelled. */
  watch(executionId: ExecutionId, onEnd: () => void): Cancel;
}

/**
 * A waiter's execution is looked at this often, in one of ten turns, and the store gathers the questions
 * of a turn in one statement. In one turn for all, nobody else is answered meanwhile.
 */
const LOOK_EVERY_MS = 1_000;
const TURNS = 10;

export function createEndLooks(deps: {
  readonly executions: Pick<ExecutionStore, 'hasEnded'>;
  readonly timers: Timers;
}): EndLooks {
  const { executions, timers } = deps;
  const turns = Array.from({ length: TURNS }, () => new Set<Awaiting>());
  let awaited = 0;
  let turn = 0;
  let isTicking = false;
  let cancelTick: Cancel | null = null;

  function tick(): void {
    if (isTicking) return;
    isTicking = true;
    cancelTick = timers.after(LOOK_EVERY_MS / TURNS, () => void takeTurn());
  }

  async function takeTurn(): Promise<void> {
    cancelTick = null;
    turn = (turn + 1) % TURNS;
    await Promise.all([...(turns[turn] ?? [])].map(look));
    isTicking = false;
    if (awaited > 0) tick();
  }

  async function look({ executionId, onEnd }: Awaiting): Promise<void> {
    let mayHaveEnded = true;
    try {
      mayHaveEnded = await executions.hasEnded(executionId);
    } catch {
      // The waiter learns why when it reads the result.
    }
    if (mayHaveEnded) onEnd();
  }

  return {
    watch(executionId, onEnd) {
      const awaiting = { executionId, onEnd };
      const own = turns[turnOf(executionId)];
      own?.add(awaiting);
      awaited += 1;
      tick();
      return () => {
        if (own?.delete(awaiting) !== true) return;
        awaited -= 1;
        if (awaited > 0 || cancelTick === null) return;
        cancelTick();
        cancelTick = null;
        isTicking = false;
      };
    },
  };
}

interface Awaiting {
  readonly executionId: ExecutionId;
  readonly onEnd: () => void;
}

/** The ends of ids are random. */
function turnOf(executionId: ExecutionId): number {
  return Number.parseInt(executionId.slice(-4), 16) % TURNS;
}
