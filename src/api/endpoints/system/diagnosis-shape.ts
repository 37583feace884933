import { z } from 'zod';

import type { Diagnosis } from '../../../shared/engine/doctor/doctor.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

export const diagnosisShape = z.object({
  ok: z.boolean().meta({ description: 'False: a check fails. Warnings alone leave it true.' }),
  checks: z.array(
    z.object({
      name: z.string(),
      verdict: z.enum(['ok', 'warn', 'fail', 'skipped']),
      seen: z.string().meta({ description: 'The finding.' }),
      advice: z.string().nullable().meta({ description: 'The remedy; null: none needed.' }),
    }),
  ),
  stuck_executions: z.array(
    z.object({
      execution_id: executionId,
      tenant_id: z.string(),
      status: z.string(),
      code: z.string(),
      node_id: z.string().nullable(),
      message: z.string(),
      since: timestamp.nullable(),
      unblocked_by: z.string(),
    }),
  ),
  stuck_executions_total: z.int().meta({ description: 'At least so many do not move.' }),
});

/** `svc doctor -o json` prints the same. */
export function shapeDiagnosis({
  checks,
  stuck,
  stuckTotal,
}: Diagnosis): z.input<typeof diagnosisShape> {
  return {
    ok: checks.every(({ verdict }) => verdict !== 'fail'),
    checks: checks.map(({ name, verdict, seen, advice }) => ({ name, verdict, seen, advice })),
    stuck_executions: stuck.map((execution) => ({
      execution_id: execution.executionId,
      tenant_id: execution.tenantId,
      status: execution.status,
      code: execution.code,
      node_id: execution.nodeId,
      message: execution.message,
      since: execution.since,
      unblocked_by: execution.unblockedBy,
    })),
    stuck_executions_total: stuckTotal,
  };
}
