import type { Access } from '../shared/domain/access.ts';
import type { Credentials } from '../shared/security/authenticator.ts';
import type { IncomingMessage } from 'node:http';

import type { ApiContext } from './context.ts';
import type { EndpointDeps } from './deps.ts';
import type { Caller, Method } from './endpoint.ts';
import { admit, type Admission } from './middleware/authenticate.ts';
import { readClientCertificate } from './read-client-certificate.ts';

export interface AdmitRequest {
  readonly ctx: ApiContext;
  readonly deps: EndpointDeps;
  readonly method: Method;
  readonly access: Access;
}

/** Lets a request in to what needs this access, or throws 401, 403 or 429; see `admit`. */
export async function admitRequest(params: AdmitRequest): Promise<Caller> {
  const { ctx, deps, method, access } = params;
  const { rateLimit, database } = deps;
  const admission = admissionOf({ req: ctx.req, deps, method, access });
  const caller = await admit({ ...admission, rateLimit, database });
  ctx.state.tenantId = caller.tenantId;
  return caller;
}

/** The checks of a request when it comes in, and again while its answer streams. */
export function admissionOf({
  req,
  deps,
  method,
  access,
}: Omit<AdmitRequest, 'ctx'> & { readonly req: IncomingMessage }): Admission {
  return {
    method,
    access,
    credentials: credentialsOf(req),
    tenantHeader: tenantHeaderOf(req),
    auth: deps.settings.auth,
    authenticator: deps.authenticator,
    knowTenant: (tenantId) => deps.engine.tenants.find(tenantId),
  };
}

/** Node joins the values of a header that is sent twice. */
function tenantHeaderOf(req: IncomingMessage): string | undefined {
  const given = req.headers['x-tenant-id'];
  return typeof given === 'string' ? given : undefined;
}

function credentialsOf(req: IncomingMessage): Credentials {
  return {
    authorization: req.headers.authorization,
    certificate: () => readClientCertificate(req.socket),
  };
}
