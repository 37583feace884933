import {
  countTenants,
  listTenants as readPage,
  readTenant,
} from '../../../shared/engine/tenants/tenants.ts';
import type { UseCaseDeps } from '../../../shared/engine/use-case-deps.ts';
import { z } from 'zod';

import { managesTenants } from '../../../shared/domain/access.ts';
import { SvcError } from '../../../shared/domain/errors.ts';
import type { TenantId } from '../../../shared/domain/ids.ts';
import type { TenantRow } from '../../../shared/store/tenants.ts';
import { defineEndpoint, type Caller } from '../../endpoint.ts';
import { encodePosition, positionText } from '../../schemas/position.ts';
import { LIMIT_MAX, pageFields, pagingOfWhole, WHOLE } from '../../schemas/query.ts';
import { openWholeList } from '../../whole-list.ts';
import { shapeTenant, tenantShape } from './tenant-shape.ts';

export const listTenants = defineEndpoint({
  name: 'list-tenants',
  method: 'GET',
  path: '/tenants',
  access: 'operate',
  summary: 'Lists the tenants in the order of their ids',
  note:
    'Operators of the tenant `default` see all, others their own. All of them where no `limit` is ' +
    'given. With one, follow `next_cursor` to read on.',
  query: z.object(pagingOfWhole(positionText({ columns: 1, isTimed: false }))),
  replies: { 200: z.object({ tenants: z.array(tenantShape), ...pageFields }) },
  async handle({ query, caller }, { engine }) {
    const { limit, offset, cursor } = query;
    if (!managesTenants(caller.identity)) {
      const own = await listOwn(engine, caller);
      const shown = cursor === null ? own.slice(offset) : [];
      const tenants = shown.map(shapeTenant);
      return { status: 200, body: { tenants, total: own.length, next_cursor: null } };
    }
    if (limit === WHOLE && offset === 0 && cursor === null) {
      const read = (after: TenantRow | null, count: number) =>
        readPage(engine, { after: after?.tenantId ?? null, limit: count, offset: 0 });
      return { status: 200, pieces: await openWholeList('tenants', { read, shape: shapeTenant }) };
    }
    const most = Math.min(limit, LIMIT_MAX);
    const [after = null] = cursor ?? [];
    const [rows, total] = await Promise.all([
      readPage(engine, { after: after as TenantId | null, limit: most, offset }),
      countTenants(engine),
    ]);
    const last = rows.length === most ? rows.at(-1) : undefined;
    const body = {
      tenants: rows.map(shapeTenant),
      total,
      next_cursor: last === undefined ? null : encodePosition([last.tenantId]),
    };
    return { status: 200, body };
  },
});

async function listOwn(engine: UseCaseDeps, caller: Caller): Promise<readonly TenantRow[]> {
  try {
    return [await readTenant(engine, { tenantId: caller.identity.tenantId })];
  } catch (error) {
    // Nobody has made it: there are only tokens for it.
    if (error instanceof SvcError && error.code === 'not_found') return [];
    throw error;
  }
}
