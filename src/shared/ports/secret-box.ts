import type { TenantId } from '../domain/ids.ts';

/** Seals a tenant's secrets for keeping. */
export interface SecretBox {
  /** Throws a 400 that says how to make a key when there is none. */
  seal(params: { readonly tenantId: TenantId; readonly secret: string }): SealedSecret;
  /** Null when it was sealed with a key that is not known here, or for another tenant. */
  open(params: { readonly tenantId: TenantId; readonly sealed: SealedSecret }): string | null;
  /** The key that seals now; null when there is none. */
  currentKeyId(): string | null;
}

export interface SealedSecret {
  readonly keyId: string;
  readonly box: string;
}
