import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { ExecutionRow } from '../../store/store.ts';

/**
 * Ends that this process commits, for callers that wait for them here: they need not read the result.
 * They read an end that another process commits, or that this one commits without knowing the state.
 */
export interface EndsHere {
  /** Keeps the end of this execution, from now until `stop`. */
  expect(executionId: ExecutionId): ExpectedEnd;
  /** After the accepted commit of an end. */
  note(end: KnownEnd): void;
}

export interface KnownEnd {
  readonly row: Pick<ExecutionRow, 'executionId' | 'tenantId' | 'definitionId'>;
  /** The final state. */
  readonly state: ExecutionState;
}

export interface ExpectedEnd {
  /** Null: no end was committed here. */
  committed(): KnownEnd | null;
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
    note(end) {
      const own = expected.get(end.row.executionId);
      if (own !== undefined) own.end = end;
    },
  };
}

interface Expected {
  /** Those that wait for the same execution. */
  callers: number;
  end: KnownEnd | null;
}
