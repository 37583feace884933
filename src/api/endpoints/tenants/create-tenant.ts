import { createTenant as create } from '../../../shared/engine/tenants/tenants.ts';
import { z } from 'zod';

import { parseTenantId } from '../../../shared/domain/access.ts';
import type { TenantId } from '../../../shared/domain/ids.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { refuseOthers } from './manage-tenants.ts';
import { tenantName } from './tenant-shape.ts';

const tenantId = z
  .string()
  .refine(
    (text) => parseTenantId(text) !== null,
    'must be 1 to 63 of a-z, 0-9, - and _, the first a letter or digit',
  )
  .transform((text) => text as TenantId)
  .meta({ pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' });

export const createTenant = defineEndpoint({
  name: 'create-tenant',
  method: 'POST',
  path: '/tenants',
  access: 'operate',
  summary: 'Creates a tenant',
  note: 'For operators of the tenant `default`.',
  body: z.strictObject({ id: tenantId, name: tenantName }),
  replies: { 201: z.object({ tenant_id: z.string() }) },
  errors: [409],
  async handle({ body, caller }, { engine }) {
    refuseOthers(caller);
    const created = await create(engine, caller, {
      tenantId: body.id,
      name: body.name,
    });
    return { status: 201, body: { tenant_id: created.tenantId } };
  },
});
