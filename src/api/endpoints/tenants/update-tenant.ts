import { updateTenant as update } from '../../../shared/engine/tenants/tenants.ts';
import { z } from 'zod';

import { TENANT_STATUSES } from '../../../shared/domain/tenant.ts';
import type { Policy } from '../../../shared/domain/policy/policy.ts';
import type { TenantLimits } from '../../../shared/domain/tenant.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { omittable, readOnly } from '../../schemas/text.ts';
import { refuseOthers } from './manage-tenants.ts';
import {
  limitsSettings,
  policyShape,
  shapeTenant,
  tenantName,
  tenantShape,
} from './tenant-shape.ts';

export const updateTenant = defineEndpoint({
  name: 'update-tenant',
  method: 'PUT',
  path: '/tenants/:id',
  access: 'operate',
  summary: 'Changes a tenant',
  note:
    'For operators of the tenant `default`. Absent fields keep their values; `policy` and ' +
    '`limits` replace the old ones completely. Takes effect at once in the process that ' +
    'answers, and within seconds in all others.\n\nA suspended tenant may read, and nothing ' +
    'of it is scheduled: work is not handed out, timers and retries wait. An archived one ' +
    'may not even read. The tenant `default` stays active.',
  params: idParam('Tenant id.'),
  body: z.strictObject({
    name: omittable(tenantName),
    status: omittable(z.enum(TENANT_STATUSES)),
    policy: omittable(policyShape),
    limits: omittable(limitsSettings),
    id: readOnly,
    created_at: readOnly,
    updated_at: readOnly,
  }),
  replies: { 200: tenantShape },
  errors: [404, 409],
  async handle({ params, body, caller }, { engine }) {
    refuseOthers(caller);
    const { name, status } = body;
    const policy = body.policy as Policy | null;
    const limits = body.limits as TenantLimits | null;
    const changes = { name, status, policy, limits };
    const updated = await update(engine, caller, {
      tenantId: params.id,
      changes,
    });
    return { status: 200, body: shapeTenant(updated) };
  },
});
