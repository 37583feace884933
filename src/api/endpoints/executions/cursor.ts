import { z } from 'zod';

import { parseExecutionId } from '../../../shared/domain/ids.ts';
import type { ExecutionRow, ListExecutions } from '../../../shared/store/store.ts';

type Cursor = NonNullable<ListExecutions['cursor']>;

/** Points behind one execution of the list. Opaque to callers, so that its form can change. */
export function cursorOf(row: Pick<ExecutionRow, 'createdAt' | 'executionId'>): string {
  return Buffer.from(`${row.createdAt} ${row.executionId}`).toString('base64url');
}

/** All that can be said of it in a schema. */
export const CURSOR_FORM = {
  pattern: '^[A-Za-z0-9_-]+$',
  description: '`next_cursor` of an earlier answer.',
};

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

function isTimestamp(text: string): boolean {
  const millis = Date.parse(text);
  return !Number.isNaN(millis) && new Date(millis).toISOString() === text;
}
