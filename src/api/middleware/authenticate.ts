import {
  actorOf,
  managesTenants,
  missingRole,
  needsToken,
  OPEN_ACCESS_IDENTITY,
  parseTenantId,
  type Access,
  type Identity,
} from '../../shared/domain/access.ts';
import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import { DEFAULT_TENANT, type TenantId } from '../../shared/domain/ids.ts';
import type { ApiSettings } from '../deps.ts';
import type { Caller } from '../endpoint.ts';
import type { Authenticator } from '../../shared/security/authenticators/api-key.ts';

/** Whom a request on an open route counts as; such routes tell no more than is meant for everyone. */
const ANYONE: Caller = {
  identity: { tenantId: DEFAULT_TENANT, role: 'viewer', tokenName: 'anyone' },
  tenantId: DEFAULT_TENANT,
  actorId: 'token:anyone',
};

/**
 * 401 without an acceptable token, 403 when its role does not suffice for the route or its tenant
 * for the one in X-Tenant-Id; else the caller.
 */
export async function admit(params: {
  readonly access: Access;
  readonly authorization: string | undefined;
  readonly tenantHeader: string | undefined;
  readonly auth: ApiSettings['auth'];
  readonly authenticator: Authenticator;
}): Promise<Caller> {
  const { access, auth } = params;
  if (!needsToken(access, auth)) return ANYONE;
  const identity = await identify(params);
  if (identity === null) {
    throw new SvcError('unauthorized', '', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
  const missing = missingRole({ access, role: identity.role, rules: auth });
  if (missing !== null) throw new SvcError('forbidden', missing);
  const tenantId = chooseTenant(identity, params.tenantHeader);
  return { identity, tenantId, actorId: actorOf(identity) };
}

/** Null: no acceptable token. */
export async function identify(params: {
  readonly authorization: string | undefined;
  readonly auth: ApiSettings['auth'];
  readonly authenticator: Authenticator;
}): Promise<Identity | null> {
  if (!params.auth.enabled) return OPEN_ACCESS_IDENTITY;
  return params.authenticator.authenticate(params.authorization);
}

function chooseTenant(identity: Identity, header: string | undefined): TenantId {
  // Everyone may name their own tenant.
  if (header === undefined || header === '' || header === identity.tenantId) {
    return identity.tenantId;
  }
  if (!managesTenants(identity)) {
    throw new SvcError('forbidden', `operator of tenant ${DEFAULT_TENANT}`);
  }
  const named = parseTenantId(header);
  if (named === null) throw badRequest('X-Tenant-Id must match [a-z0-9][a-z0-9_-]{0,62}');
  return named;
}
