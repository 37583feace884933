import { parseExecutionId } from '../../../shared/domain/ids.ts';
import type { ExecutionRow, ListExecutions } from '../../../shared/store/store.ts';
import { encodeTimedCursor, isTimestamp, timedCursorText } from '../../schemas/position.ts';

type Cursor = NonNullable<ListExecutions['cursor']>;

/** Points behind one execution of the list. Opaque to callers, so that its form can change. */
export function cursorOf(row: Pick<ExecutionRow, 'createdAt' | 'executionId'>): string {
  return encodeTimedCursor(row.createdAt, row.executionId);
}

export const cursorText = timedCursorText((createdAt, id): Cursor | null => {
  const executionId = parseExecutionId(id);
  return executionId !== null && isTimestamp(createdAt) ? { createdAt, executionId } : null;
});
