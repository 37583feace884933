import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Held } from './held-execution.ts';

/**
 * Ends that this process commits, for callers that wait for them here: they need not read the result.
 * They read an end that another process commits, or that this one commits without knowing the state.
 */
export interface EndsHere {
  /** Keeps the end of this execution, from now until `stop`. */
  expect(executionId: ExecutionId): ExpectedEnd;
  /** After an accepted commit, with the resulting state. */
  note(held: Pick<Held, 'row' | 'state'>): void;
}

export interface ExpectedEnd {
  /** Null: no end was committed here. */
  committed(): Pick<Held, 'row' | 'state'> | null;
  stop(): void;
}

export function createEndsHere(): EndsHere {
  const expected = new Map<ExecutionId, Expected>();
  return {
    expect(executionId) {
      const own = expected.get(executionId) ?? { callers: 0, end: null };
      own.callers += 1;
      expected.set(executionId, own);
      return {
        committed: () => own.end,
        stop() {
          own.callers -= 1;
          if (own.callers === 0) expected.delete(executionId);
        },
      };
    },
    note({ row, state }) {
      if (expected.size === 0 || !isTerminal(state.status)) return;
      const own = expected.get(row.executionId);
      if (own !== undefined) own.end = { row, state };
    },
  };
}

interface Expected {
  /** Those that wait for the same execution. */
  callers: number;
  end: Pick<Held, 'row' | 'state'> | null;
}
