import { z } from 'zod';

import type { ListedApproval } from '../../shared/engine/approvals/list-all-approvals.ts';
import { timestamp } from './text.ts';

/** The deadline of an approval and its consequence. */
export const deadlineFields = {
  deadline_at: timestamp.nullable().meta({
    description: 'When it ends without a decision; null: never, or its time stands still.',
  }),
  otherwise: z
    .object({
      outcome: z.enum(['fail', 'continue', 'code']),
      to: z.array(z.string()),
    })
    .meta({
      description:
        'After a rejection, and at the deadline. `fail`: the node fails · `continue`: the nodes of ' +
        '`to` follow · `code`: the code of the function decides.',
    }),
};

export function tellDeadline({ dueAt, otherwise }: Pick<ListedApproval, 'dueAt' | 'otherwise'>) {
  return { deadline_at: dueAt, otherwise: { outcome: otherwise.is, to: [...otherwise.to] } };
}
