import { z } from 'zod';

import type { AuditProblem } from '../../../shared/domain/audit/verify-window.ts';
import { timestamp } from '../../schemas/text.ts';

export const problemShape = z.object({
  what: z.enum([
    'row_changed',
    'row_removed',
    'row_added',
    'seal_changed',
    'seal_out_of_chain',
    'window_changed',
    'window_out_of_chain',
    'window_missing',
    'retirement_unproved',
    'import_unproved',
    'definition_changed',
    'definition_removed',
    'execution_changed',
  ]),
  tenant_id: z.string().nullable(),
  window: z.int().nullable(),
  seal: z.int().nullable(),
  row: z
    .object({
      id: z.string(),
      execution_id: z.string().nullable(),
      sequence: z.int().nullable(),
      created_at: timestamp.nullable().meta({ description: 'Null: it no longer exists.' }),
    })
    .nullable()
    .meta({ description: 'The item, as far as it can be named.' }),
});

export function shapeProblem(problem: AuditProblem): z.input<typeof problemShape> {
  const { what, tenantId, windowNumber, sealNumber, row } = problem;
  return {
    what,
    tenant_id: tenantId,
    window: windowNumber,
    seal: sealNumber,
    row: row && {
      id: row.id,
      execution_id: row.executionId,
      sequence: row.sequence,
      created_at: row.createdAt,
    },
  };
}
