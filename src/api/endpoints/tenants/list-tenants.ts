import { z } from 'zod';

import { managesTenants } from '../../../shared/domain/access.ts';
import { SvcError } from '../../../shared/domain/errors.ts';
import type { Engine } from '../../../shared/engine/engine.ts';
import type { TenantRow } from '../../../shared/store/tenants.ts';
import { defineEndpoint, type Caller } from '../../endpoint.ts';
import { paging } from '../../schemas/query.ts';
import { shapeTenant, tenantShape } from './tenant-shape.ts';

export const listTenants = defineEndpoint({
  name: 'list-tenants',
  method: 'GET',
  path: '/tenants',
  access: 'operate',
  summary: 'Lists the tenants in the order of their ids',
  note: 'Operators of the tenant `default` see all, others their own.',
  query: z.object(paging),
  replies: { 200: z.object({ tenants: z.array(tenantShape) }) },
  async handle({ query, caller }, { engine }) {
    const rows = managesTenants(caller.identity)
      ? await engine.listTenants(query)
      : (await listOwn(engine, caller)).slice(query.offset, query.offset + query.limit);
    return { status: 200, body: { tenants: rows.map(shapeTenant) } };
  },
});

async function listOwn(engine: Engine, caller: Caller): Promise<readonly TenantRow[]> {
  try {
    return [await engine.readTenant({ tenantId: caller.identity.tenantId })];
  } catch (error) {
    // Nobody has made it: there are only tokens for it.
    if (error instanceof SvcError && error.code === 'not_found') return [];
    throw error;
  }
}
