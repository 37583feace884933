import { readTenant as read } from '../../../shared/engine/tenants/tenants.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { maySee } from './manage-tenants.ts';
import { shapeTenant, tenantShape } from './tenant-shape.ts';

export const readTenant = defineEndpoint({
  name: 'read-tenant',
  method: 'GET',
  path: '/tenants/:id',
  access: 'operate',
  summary: 'Reads a tenant',
  note: 'Operators of the tenant `default` see all, others their own.',
  params: idParam('Tenant id.'),
  replies: { 200: tenantShape },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    if (!maySee(caller, params.id)) throw notFound(`tenant ${params.id}`);
    return { status: 200, body: shapeTenant(await read(engine, { tenantId: params.id })) };
  },
});
