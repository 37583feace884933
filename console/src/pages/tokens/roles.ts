import type { ReplyOf } from '../../api/client.ts';

export type Token = ReplyOf<'list-tokens'>['tokens'][number];
export type Role = Token['role'];

export const ROLES: readonly { readonly role: Role; readonly may: string }[] = [
  { role: 'viewer', may: 'Reads everything in the tenant and changes nothing.' },
  { role: 'reviewer', may: 'Reads everything, and decides approvals where the service lets it.' },
  { role: 'worker', may: 'Claims and settles work items, and nothing else: for programs.' },
  { role: 'developer', may: 'Reads and changes everything but tokens, tenants and settings.' },
  { role: 'operator', may: 'Does everything in the tenant, also tokens.' },
];

export function describeRole(role: string): string {
  return ROLES.find((known) => known.role === role)?.may ?? '';
}

export type TokenStatus = 'active' | 'expired' | 'revoked' | 'replaced';

export function statusOf(token: Token): TokenStatus {
  if (token.revoked_at !== null) return token.replaced_by === null ? 'revoked' : 'replaced';
  return token.expired ? 'expired' : 'active';
}
