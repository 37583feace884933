import type { TenantId } from '../domain/ids.ts';

/**
 * Secrets that workflows name and never hold. Read for every call, so that a rotated one counts from
 * the next call on.
 */
export interface NamedSecrets {
  read(params: { readonly name: string; readonly tenantId: TenantId }): SecretReading;
}

export interface SecretRules {
  /** Why a workflow of this tenant may not name a secret, set or not; null: it may. */
  refuse(params: { readonly name: string; readonly tenantId: TenantId }): string | null;
}

/** `problem` is a complete message: it names the secret and the remedy. */
export type SecretReading =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };
