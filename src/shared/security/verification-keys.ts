import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, importSPKI, type JWTVerifyGetKey } from 'jose';

import {
  KeysUnavailableError,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type VerificationKeys,
} from './authenticators/json-web-token.ts';

/** A key is fetched again when it is this old, so that one withdrawn by the issuer goes. */
const KEYS_MS_MAX = 10 * 60 * 1000;
/** An unknown key id causes a new fetch of the keys, but never more often than this. */
const COOLDOWN_MS = 30 * 1000;
const TIMEOUT_MS = 5 * 1000;

/** Fetches a document as text; rejects for any answer but 200. */
export type FetchText = (url: string, options: { readonly signal: AbortSignal }) => Promise<string>;

/**
 * The keys that the issuer publishes (RFC 7517), fetched when first needed. Rotation: a token with a
 * key id that is not known makes them be fetched again.
 */
export function createRemoteKeys(params: {
  readonly url: string;
  readonly fetchText: FetchText;
}): VerificationKeys {
  const find = createRemoteJWKSet(new URL(params.url), {
    cacheMaxAge: KEYS_MS_MAX,
    cooldownDuration: COOLDOWN_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: async (url, { signal }) => {
      try {
        const text = await params.fetchText(url, { signal });
        return Response.json(JSON.parse(text));
      } catch (error) {
        throw new KeysUnavailableError(`no keys from ${url}`, { cause: error });
      }
    },
  });
  const key: JWTVerifyGetKey = async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      // The fetched document is not a set of keys.
      if (error instanceof errors.JWKSInvalid) {
        throw new KeysUnavailableError(error.message, { cause: error });
      }
      throw error;
    }
  };
  return { algorithms: SIGNATURE_ALGORITHMS, key };
}

/** One key in PEM. Throws where it is none, or of a kind that is not accepted. */
export async function readPublicKey(pem: string): Promise<VerificationKeys> {
  const key = createPublicKey(pem);
  const algorithm = algorithmOf(key);
  if (algorithm === null) {
    throw new Error('expected an RSA key of 2048 bits or more, a P-256 key or an Ed25519 key');
  }
  const spki = key.export({ type: 'spki', format: 'pem' }).toString();
  return { algorithms: [algorithm], key: await importSPKI(spki, algorithm) };
}

const RSA_BITS_MIN = 2048;

function algorithmOf(key: KeyObject): SignatureAlgorithm | null {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= RSA_BITS_MIN ? 'RS256' : null;
    case 'ec':
      return namedCurve === 'prime256v1' ? 'ES256' : null;
    case 'ed25519':
      return 'EdDSA';
    default:
      return null;
  }
}
