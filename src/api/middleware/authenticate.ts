import {
  actorOf,
  managesTenants,
  hintForRole,
  missingRole,
  ROLES,
  needsToken,
  OPEN_ACCESS_IDENTITY,
  parseTenantId,
  type Access,
  type Identity,
} from '../../shared/domain/access.ts';
import { badRequest, notFound, SvcError } from '../../shared/domain/errors.ts';
import { DEFAULT_TENANT, type TenantId } from '../../shared/domain/ids.ts';
import { objectionOf, type Tenant } from '../../shared/domain/tenant.ts';
import type { ApiSettings } from '../deps.ts';
import type { DatabaseProbe } from '../database-probe.ts';
import type { Caller, Method } from '../endpoint.ts';
import { StoreUnavailableError } from '../../shared/store/store.ts';
import type { Authenticator, Credentials } from '../../shared/security/authenticator.ts';
import { translate } from './errors.ts';
import type { RateLimit } from './limit-rate.ts';

/** Whom a request on an open route counts as; such routes tell no more than is meant for everyone. */
const ANYONE: Caller = {
  identity: { tenantId: DEFAULT_TENANT, role: 'viewer', tokenName: 'anyone' },
  tenantId: DEFAULT_TENANT,
  actorId: 'token:anyone',
};

/**
 * 401 without an acceptable token, 403 when its role does not suffice for the route or its tenant
 * for the one in X-Tenant-Id, or the tenant is not active; 404 when nobody has made the one in
 * X-Tenant-Id; 429 when it is too fast; else the caller.
 */
export function admit(
  params: Admission & { readonly rateLimit: RateLimit; readonly database: DatabaseProbe },
): Promise<Caller> {
  if (!needsToken(params.access, params.auth)) return Promise.resolve(ANYONE);
  if (params.access === 'probe') return admitProbe(params);
  return admitCaller(params);
}

/**
 * A probe asks whether the database is available, so it gets an answer even when the database
 * cannot identify the caller. The answer contains no more than that of `/health`.
 */
async function admitProbe(params: Parameters<typeof admit>[0]): Promise<Caller> {
  const { database } = params;
  if ((await database.check()) === 'disconnected') return ANYONE;
  try {
    return await admitCaller(params);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    // It has gone since.
    database.invalidate();
    if ((await database.check()) === 'disconnected') return ANYONE;
    throw error;
  }
}

async function admitCaller(params: Admission & { readonly rateLimit: RateLimit }): Promise<Caller> {
  const { caller, tenant } = await judgeCaller(params);
  params.rateLimit.check(tenant);
  return caller;
}

/** Null while a caller that was let in would still be, else why not; a check costs it no request. */
export async function objectionToCaller(
  params: Admission & { readonly caller: Caller },
): Promise<SvcError | null> {
  if (!needsToken(params.access, params.auth)) return null;
  try {
    const { caller } = await judgeCaller(params);
    return caller.tenantId === params.caller.tenantId ? null : new SvcError('unauthorized', '');
  } catch (error) {
    // A caller that cannot be checked now is refused too.
    return translate(error);
  }
}

/** The settings and reads that decide on access. */
export interface Admission {
  readonly method: Method;
  readonly access: Access;
  readonly credentials: Credentials;
  readonly tenantHeader: string | undefined;
  readonly auth: ApiSettings['auth'];
  readonly authenticator: Authenticator;
  readonly knowTenant: (tenantId: TenantId) => Promise<Tenant | null>;
}

async function judgeCaller(
  params: Admission,
): Promise<{ readonly caller: Caller; readonly tenant: Tenant }> {
  const { access, auth } = params;
  const identity = await identify(params);
  if (identity === null) {
    throw new SvcError('unauthorized', '', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
  const missing = missingRole({ access, role: identity.role, rules: auth });
  if (missing !== null) {
    const { role } = identity;
    const roles = ROLES.filter((one) => missingRole({ access, role: one, rules: auth }) === null);
    const hint = hintForRole({ access, role, rules: auth });
    throw new SvcError('forbidden', missing, {
      body: { role, allowed_roles: roles, ...(hint !== null && { hint }) },
    });
  }
  const tenantId = chooseTenant(identity, params.tenantHeader);
  const tenant = await params.knowTenant(tenantId);
  if (tenant === null) throw unknownTenant(tenantId, identity);
  const objection = objectionOf(tenant, { writes: params.method !== 'GET' && access !== 'read' });
  if (objection !== null) throw new SvcError('tenant_inactive', objection);
  return { caller: { identity, tenantId, actorId: actorOf(identity) }, tenant };
}

/** Null: no acceptable token. */
function identify(params: {
  readonly credentials: Credentials;
  readonly auth: ApiSettings['auth'];
  readonly authenticator: Authenticator;
}): Promise<Identity | null> {
  if (!params.auth.enabled) return Promise.resolve(OPEN_ACCESS_IDENTITY);
  return params.authenticator.authenticate(params.credentials);
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

/** 404 only for who may name any tenant. For everyone else it is their own, which somebody has to make. */
function unknownTenant(tenantId: TenantId, identity: Identity): SvcError {
  if (tenantId === identity.tenantId) return new SvcError('tenant_unknown', tenantId);
  return notFound(`tenant ${tenantId}`);
}
