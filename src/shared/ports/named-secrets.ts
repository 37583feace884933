import type { TenantId } from '../domain/ids.ts';

/**
 * Secrets that workflows name and never hold. Read for every call, so that a rotated one counts from
 * the next call on.
 */
export interface NamedSecrets {
  read(params: { readonly name: string; readonly tenantId: TenantId }): SecretReading;
}

/** `problem` goes on from nothing: it names the secret, and tells what to do. */
export type SecretReading =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };
