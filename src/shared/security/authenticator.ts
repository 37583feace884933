import type { Identity } from '../domain/access.ts';
import type { ClientCertificate } from './client-certificate.ts';

/** The credentials of a caller. */
export interface Credentials {
  /** The header as it was sent. */
  readonly authorization: string | undefined;
  /** The certificate of the connection, verified against the configured authority; null: none. */
  readonly certificate: () => ClientCertificate | null;
}

export interface Authenticator {
  /** Null without acceptable credentials. Throws a 503 where that cannot be found out. */
  authenticate(credentials: Credentials): Promise<Identity | null>;
  /** Forgets all cached tokens. */
  forget(): void;
  /** Writes what is known of the use of tokens. */
  close(): Promise<void>;
}

/** A way to prove who one is by a token in the Authorization header. */
export interface BearerScheme {
  /** Whether the token is one of this scheme, good or bad. */
  recognises(token: string): boolean;
  identify(token: string): Promise<Identity | null>;
}

/**
 * The configured way, and beside it stored tokens where they are accepted. A request that brings a
 * token is judged by that token alone: a bad one is not made good by a certificate.
 */
export function createAuthenticator(ways: {
  readonly bearers: readonly BearerScheme[];
  readonly identifyCertificate: ((certificate: ClientCertificate) => Identity | null) | null;
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}): Authenticator {
  const { bearers, identifyCertificate } = ways;
  return {
    async authenticate({ authorization, certificate }) {
      if (authorization === undefined && identifyCertificate !== null) {
        const shown = certificate();
        return shown === null ? null : identifyCertificate(shown);
      }
      const token = readBearer(authorization);
      if (token === null) return null;
      const scheme = bearers.find((bearer) => bearer.recognises(token));
      return scheme === undefined ? null : scheme.identify(token);
    },
    forget: ways.forget,
    close: ways.close,
  };
}

/** RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
function readBearer(authorization: string | undefined): string | null {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
