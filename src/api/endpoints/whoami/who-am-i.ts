import { z } from 'zod';

import { managesTenants, ROLES } from '../../../shared/domain/access.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const whoAmI = defineEndpoint({
  name: 'who-am-i',
  method: 'GET',
  path: '/whoami',
  access: 'fetch',
  summary: 'Says who the caller is, and which routes it may use',
  note:
    'Any role may ask. A route outside `permissions` answers this caller with 403; a route in it ' +
    'may still refuse a request for other reasons.',
  replies: {
    200: z.object({
      tenant_id: z.string().meta({ description: 'The tenant that this request is about.' }),
      role: z.enum(ROLES),
      name: z.string().meta({ description: "The token's name." }),
      is_operator: z.boolean(),
      authenticated: z.boolean().meta({
        description: 'False where authentication is off, as under `svc dev`.',
      }),
      manages_tenants: z.boolean().meta({
        description: 'Whether the caller may name any tenant in X-Tenant-Id.',
      }),
      version: z.string(),
      permissions: z.array(z.object({ method: z.string(), path: z.string() })).meta({
        description: 'The routes that the role may use, with parameters as `:id`.',
      }),
    }),
  },
  async handle({ caller }, { version, settings, permittedTo }) {
    const { identity, tenantId } = caller;
    return {
      status: 200,
      body: {
        tenant_id: tenantId,
        role: identity.role,
        name: identity.tokenName,
        is_operator: identity.role === 'operator',
        authenticated: settings.auth.enabled,
        manages_tenants: managesTenants(identity),
        version,
        permissions: permittedTo(identity),
      },
    };
  },
});
