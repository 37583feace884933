import { z } from 'zod';

import { parseExecutionId } from '../../../shared/domain/ids.ts';
import type { ExecutionRow, ListExecutions } from '../../../shared/store/store.ts';
import { CURSOR_FORM, isTimestamp } from '../../schemas/position.ts';

type Cursor = NonNullable<ListExecutions['cursor']>;

/** Points behind one execution of the list. Opaque to callers, so that its form can change. */
export function cursorOf(row: Pick<ExecutionRow, 'createdAt' | 'executionId'>): string {
  return Buffer.from(`${row.createdAt} ${row.executionId}`).toString('base64url');
}

export const cursorText = z
  .string()
  .transform((text, context): Cursor => {
    const [createdAt = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ');
    const executionId = parseExecutionId(id);
    if (executionId !== null && isTimestamp(createdAt)) return { createdAt, executionId };
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of an earlier answer' });
    return z.NEVER;
  })
  .meta(CURSOR_FORM);
