import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type CryptoKey } from 'jose';

import { parseTenantId, RESERVED_TOKEN_NAMES, ROLES, type Role } from '../../domain/access.ts';
import { SvcError } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { BearerScheme } from '../authenticator.ts';

/**
 * JSON Web Tokens of one issuer (RFC 7519, RFC 8725). Only asymmetric signatures are accepted, and a
 * token never says which: `none` and HS* with a public key for a secret fail before any key is
 * looked at, and a key is used with its own algorithm alone. Keys come from the configuration, never
 * from the token (`jwk`, `jku`, `x5c`, `x5u`). Issuer, audience, expiry and subject are required.
 */
export interface JsonWebTokenSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: VerificationKeys;
  /** A claim's name, or a path to it with dots. */
  readonly roleClaim: string;
  readonly tenantClaim: string;
  readonly clockToleranceSeconds: number;
}

export interface VerificationKeys {
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly key: CryptoKey | JWTVerifyGetKey;
}

export const SIGNATURE_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** The keys of the issuer cannot be had at present: nobody's token can be judged. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

const TOKEN_BYTES_MAX = 8 * 1024;
const RETRY_AFTER_SECONDS = 5;

export function createJsonWebTokens(
  settings: JsonWebTokenSettings & { readonly currentDate: () => Date },
): BearerScheme {
  const { keys, issuer, audience, clockToleranceSeconds } = settings;
  // The overloads tell a key from a function that finds one.
  const getKey: JWTVerifyGetKey =
    typeof keys.key === 'function' ? keys.key : () => keys.key as CryptoKey;

  return {
    recognises: (token) => token.length <= TOKEN_BYTES_MAX && THREE_PARTS.test(token),

    async identify(token) {
      try {
        const { payload } = await jwtVerify(token, getKey, {
          algorithms: [...keys.algorithms],
          issuer,
          audience,
          clockTolerance: clockToleranceSeconds,
          currentDate: settings.currentDate(),
          requiredClaims: ['iss', 'aud', 'exp', 'sub'],
        });
        return identityOf(payload, settings);
      } catch (error) {
        if (isUnavailable(error)) {
          throw new SvcError('unavailable', 'the keys that tokens are signed with cannot be had', {
            headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
            cause: error,
          });
        }
        // Any other error is the token's fault: a key that does not fit its algorithm is a
        // TypeError.
        return null;
      }
    },
  };
}

const THREE_PARTS = /^[\w-]+\.[\w-]*\.[\w-]*$/;
/** As it may stand in events and logs. */
const SUBJECT = /^[\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]{1,255}$/;

function identityOf(payload: JWTPayload, settings: JsonWebTokenSettings) {
  const sub: unknown = payload.sub;
  const role = readRole(findClaim(payload, settings.roleClaim));
  const tenantId = readTenant(findClaim(payload, settings.tenantClaim));
  if (role === null || tenantId === null || !isUsable(sub)) return null;
  return { tenantId, role, tokenName: sub };
}

/** Names of built-in identities are nobody else's. */
function isUsable(subject: unknown): subject is string {
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return false;
  return !RESERVED_TOKEN_NAMES.includes(subject);
}

/** A role, or a list in which exactly one is: of two nobody could say which was meant. */
function readRole(claim: unknown): Role | null {
  const names: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const [role, ...others] = ROLES.filter((known) => names.includes(known));
  return role === undefined || others.length > 0 ? null : role;
}

function readTenant(claim: unknown): TenantId | null {
  return typeof claim === 'string' ? parseTenantId(claim) : null;
}

/** The claim of that very name, as of names that are URLs; else the one at the end of the path. */
function findClaim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? Reflect.get(value, part)
          : undefined,
      payload,
    );
}

function isUnavailable(error: unknown): boolean {
  return error instanceof KeysUnavailableError || error instanceof errors.JWKSTimeout;
}
