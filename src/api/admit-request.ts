import type { Access } from '../shared/domain/access.ts';
import type { Credentials } from '../shared/security/authenticator.ts';
import type { ApiContext } from './context.ts';
import type { EndpointDeps } from './deps.ts';
import type { Caller, Method } from './endpoint.ts';
import { admit } from './middleware/authenticate.ts';
import { readClientCertificate } from './read-client-certificate.ts';

/** Lets a request in to what needs this access, or throws 401, 403 or 429; see `admit`. */
export async function admitRequest(params: {
  readonly ctx: ApiContext;
  readonly deps: EndpointDeps;
  readonly method: Method;
  readonly access: Access;
}): Promise<Caller> {
  const { ctx, deps, method, access } = params;
  const caller = await admit({
    method,
    access,
    credentials: credentialsOf(ctx),
    tenantHeader: ctx.get('X-Tenant-Id'),
    auth: deps.settings.auth,
    authenticator: deps.authenticator,
    knowTenant: (tenantId) => deps.engine.knowTenant(tenantId),
    rateLimit: deps.rateLimit,
  });
  ctx.state.tenantId = caller.tenantId;
  return caller;
}

export function credentialsOf(ctx: ApiContext): Credentials {
  return {
    authorization: ctx.req.headers.authorization,
    certificate: () => readClientCertificate(ctx.req.socket),
  };
}
