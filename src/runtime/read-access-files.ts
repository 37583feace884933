import { readFileSync } from 'node:fs';

import type { AuthMethod } from '../api/deps.ts';
import type { TlsFiles } from '../api/server.ts';
import { fetchText } from '../shared/clients/fetch-text.ts';
import type { Config } from '../shared/config/config.ts';
import { ConfigError } from '../shared/config/config-error.ts';

/** How callers prove who they are, with the keys that takes; undefined: by stored tokens. */
export async function readAuthMethod(config: Config): Promise<AuthMethod | undefined> {
  const { method, jwt, mtls, acceptTokens } = config.auth;
  switch (method) {
    case 'api_key':
      return undefined;
    case 'mtls':
      return {
        kind: 'mtls',
        acceptTokens,
        subjects: mtls.subjects ?? [],
        currentDate: () => new Date(),
      };
    case 'jwt': {
      const { createJsonWebTokens } =
        await import('../shared/security/authenticators/json-web-token.ts');
      const tokens = createJsonWebTokens({
        issuer: jwt.issuer ?? '',
        audience: jwt.audience ?? '',
        roleClaim: jwt.roleClaim,
        tenantClaim: jwt.tenantClaim,
        clockToleranceSeconds: jwt.clockToleranceSeconds,
        keys: await readKeys(jwt),
        currentDate: () => new Date(),
      });
      return { kind: 'jwt', acceptTokens, tokens };
    }
  }
}

/** Undefined: the API speaks plain HTTP. */
export function readTlsFiles({ api }: Config): TlsFiles | undefined {
  const { certFile, keyFile, clientCaFile } = api.tls;
  if (certFile === null || keyFile === null) return undefined;
  return {
    certificate: readPem('api.tls.cert_file', certFile),
    key: readPem('api.tls.key_file', keyFile),
    clientAuthorities:
      clientCaFile === null ? null : readPem('api.tls.client_ca_file', clientCaFile),
  };
}

async function readKeys(jwt: Config['auth']['jwt']) {
  const { createRemoteKeys, readPublicKey } =
    await import('../shared/security/verification-keys.ts');
  if (jwt.jwksUrl !== null) return createRemoteKeys({ url: jwt.jwksUrl, fetchText });
  const name = 'auth.jwt.public_key_file';
  const path = jwt.publicKeyFile ?? '';
  const pem = readPem(name, path);
  try {
    return await readPublicKey(pem);
  } catch (error) {
    throw unusable(name, path, error);
  }
}

/** The contents never appear in the error. */
function readPem(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(name, path, error);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw unusable(name, path, new Error('expected a PEM file'));
}

function unusable(name: string, path: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError([`${name}: ${path}: ${reason}`], { cause: error });
}
