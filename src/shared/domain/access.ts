import { DEFAULT_TENANT, type TenantId } from './ids.ts';

/**
 * The access rules: the interface document, "Authentication", and the choices that it leaves open.
 * `worker` is our own role: a program that processes work items needs it and nothing else.
 */
export const ROLES = ['operator', 'developer', 'reviewer', 'viewer', 'worker'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The access that a route requires. `open`: nothing. `probe`: like `read`, or nothing where probes
 * are opened by configuration. `read`: any role but a worker. `approve`: like `write`, and a
 * reviewer where reviewers may approve. `write`: developer or operator. `work`: like `write`, and a
 * worker. `fetch`: any role, the endpoint says what a worker gets. `operate`: operator.
 */
export type Access = 'open' | 'probe' | 'read' | 'approve' | 'write' | 'work' | 'fetch' | 'operate';

export interface AccessRules {
  /** `auth.open_ready` */
  readonly openReady: boolean;
  /** `auth.reviewers_may_approve` */
  readonly reviewersMayApprove: boolean;
}

/** A caller whose token was accepted. */
export interface Identity {
  readonly tenantId: TenantId;
  readonly role: Role;
  readonly tokenName: string;
  /** Absent: it is known by its name alone. Names of stored tokens may be alike. */
  readonly tokenId?: string;
}

/** Names of the identities that no stored token carries. */
export const API_KEY_NAME = 'api-key';
export const OPEN_ACCESS_NAME = 'dev';
export const RESERVED_TOKEN_NAMES: readonly string[] = [API_KEY_NAME, OPEN_ACCESS_NAME];

/** Everyone's identity while authentication is off. */
export const OPEN_ACCESS_IDENTITY: Identity = {
  tenantId: DEFAULT_TENANT,
  role: 'operator',
  tokenName: OPEN_ACCESS_NAME,
};

export function needsToken(access: Access, rules: AccessRules): boolean {
  return access !== 'open' && !(access === 'probe' && rules.openReady);
}

/** Null when the role suffices, else what would have: the words of the 403. */
export function missingRole(params: {
  readonly access: Access;
  readonly role: Role;
  readonly rules: AccessRules;
}): string | null {
  const { access, role, rules } = params;
  switch (access) {
    case 'open':
    case 'fetch':
      return null;
    case 'probe':
    case 'read':
      return role === 'worker' ? 'viewer, reviewer, developer or operator' : null;
    case 'work':
      return role === 'worker' || mayWrite(role) ? null : 'developer or operator';
    case 'approve':
      if (role === 'reviewer' && rules.reviewersMayApprove) return null;
      return mayWrite(role) ? null : 'developer or operator';
    case 'write':
      return mayWrite(role) ? null : 'developer or operator';
    case 'operate':
      return role === 'operator' ? null : 'operator';
  }
}

/** The setting that would let a refused role pass, for the hint of the 403. Null: no setting does. */
export function hintForRole(params: {
  readonly access: Access;
  readonly role: Role;
  readonly rules: AccessRules;
}): string | null {
  const opened = { ...params, rules: { ...params.rules, reviewersMayApprove: true } };
  if (missingRole(params) === null || missingRole(opened) !== null) return null;
  return 'set auth.reviewers_may_approve = true to let the role reviewer decide approvals';
}

/** Operators of the default tenant manage tenants and act for every one of them. */
export function managesTenants(identity: Identity): boolean {
  return identity.role === 'operator' && identity.tenantId === DEFAULT_TENANT;
}

export function parseTenantId(text: string): TenantId | null {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text) ? (text as TenantId) : null;
}

/** The form of events and of the audit log. */
export function actorOf(identity: Identity): string {
  return `token:${identity.tokenName}`;
}

function mayWrite(role: Role): boolean {
  return role === 'operator' || role === 'developer';
}
