import {
  countTenants,
  listTenants as list,
  readTenant,
} from '../../../shared/engine/tenants/tenants.ts';
import type { UseCaseDeps } from '../../../shared/engine/use-case-deps.ts';
import { z } from 'zod';

import { managesTenants } from '../../../shared/domain/access.ts';
import { isNotFound } from '../../../shared/domain/errors.ts';
import type { TenantId } from '../../../shared/domain/ids.ts';
import type { TenantRow } from '../../../shared/store/tenants.ts';
import { answerList } from '../../answer-list.ts';
import { defineEndpoint, type Caller } from '../../endpoint.ts';
import { positionText } from '../../schemas/position.ts';
import { pageFields, pagingOfWhole } from '../../schemas/query.ts';
import { shapeTenant, tenantShape } from './tenant-shape.ts';

export const listTenants = defineEndpoint({
  name: 'list-tenants',
  method: 'GET',
  path: '/tenants',
  access: 'operate',
  summary: 'Lists the tenants in the order of their ids',
  note:
    'Operators of the tenant `default` see all, others their own. Lists all without a ' +
    '`limit`. With one, follow `next_cursor` for more.',
  query: z.object(pagingOfWhole(positionText({ columns: 1, isTimed: false }))),
  replies: { 200: z.object({ tenants: z.array(tenantShape), ...pageFields }) },
  async handle({ query, caller }, { engine }) {
    if (!managesTenants(caller.identity)) {
      const own = await listOwn(engine, caller);
      const shown = query.cursor === null ? own.slice(query.offset) : [];
      const tenants = shown.map(shapeTenant);
      return { status: 200, body: { tenants, total: own.length, next_cursor: null } };
    }
    return answerList(query, {
      name: 'tenants',
      positionAt: ([tenantId = '']) => tenantId as TenantId,
      read: (page) => list(engine, page),
      count: () => countTenants(engine),
      shape: shapeTenant,
      columnsOf: ({ tenantId }) => [tenantId],
    });
  },
});

async function listOwn(engine: UseCaseDeps, caller: Caller): Promise<readonly TenantRow[]> {
  try {
    return [await readTenant(engine, { tenantId: caller.identity.tenantId })];
  } catch (error) {
    // Nobody has made it: there are only tokens for it.
    if (isNotFound(error)) return [];
    throw error;
  }
}
