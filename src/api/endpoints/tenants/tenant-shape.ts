import { z } from 'zod';

import { MEMORY_TIERS } from '../../../shared/domain/memory/tiers.ts';
import { TENANT_STATUSES } from '../../../shared/domain/tenant.ts';
import type { TenantRow } from '../../../shared/store/tenants.ts';
import { idText, timestamp } from '../../schemas/text.ts';

const GLOBS_MAX = 1_000;
const COUNT_MAX = 1_000_000_000;

const globs = z.array(idText).max(GLOBS_MAX, `must be at most ${GLOBS_MAX} globs`).optional();
const count = z
  .int()
  .min(0, 'must be at least 0')
  .max(COUNT_MAX, `must be at most ${COUNT_MAX}`)
  .optional();

const atLeastOne = z
  .int()
  .min(1, 'must be at least 1')
  .max(COUNT_MAX, `must be at most ${COUNT_MAX}`)
  .optional();

export const policyShape = z
  .strictObject({
    blocked_tools: globs,
    require_approval_for: globs,
    model_allowlist: globs,
  })
  .meta({ description: 'Globs of names of tools and models.' });

export const limitsShape = z
  .strictObject({
    max_concurrent_executions: count,
    when_full: z.enum(['queue', 'refuse']).optional().meta({
      description: 'Whether starts beyond max_concurrent_executions wait. Default refuse.',
    }),
    max_descendants: count,
    max_workflows: count,
    max_queued_work_items: count,
    requests_per_second: atLeastOne,
    max_cpu_seconds_per_minute: atLeastOne,
    memory_tier: z.enum(MEMORY_TIERS).optional(),
  })
  .meta({
    description: 'An absent limit does not apply. Each API process counts its own requests.',
  });

/** The limits that a request may set. Answers may show others, which were accepted before. */
export const limitsSettings = limitsShape
  .extend({
    max_concurrent_executions: z
      .int()
      .min(
        1,
        'must be at least 1, because with 0 nothing could start: ' +
          'the status "suspended" stops a tenant',
      )
      .max(COUNT_MAX, `must be at most ${COUNT_MAX}`)
      .optional(),
  })
  .refine(
    ({ when_full: whenFull, max_concurrent_executions: max }) =>
      whenFull === undefined || max !== undefined,
    {
      path: ['when_full'],
      message:
        'does nothing without max_concurrent_executions: ' +
        'give the number of executions at a time, or leave when_full out',
    },
  )
  .meta({ description: limitsShape.description });

export const tenantName = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must be at most 256 characters');

export const tenantShape = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(TENANT_STATUSES),
  policy: policyShape,
  limits: limitsShape,
  created_at: timestamp,
  updated_at: timestamp,
});

export function shapeTenant(row: TenantRow): z.input<typeof tenantShape> {
  return {
    id: row.tenantId,
    name: row.name,
    status: row.status,
    policy: { ...row.policy } as z.input<typeof policyShape>,
    limits: { ...row.limits },
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
