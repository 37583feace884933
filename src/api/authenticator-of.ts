import { TOKENS_TOPIC } from '../shared/engine/wake/wake-bus.ts';
import { createAuthenticator, type Authenticator } from '../shared/security/authenticator.ts';
import { createCertificates } from '../shared/security/authenticators/certificates.ts';
import { createStoredTokens } from '../shared/security/authenticators/stored-tokens.ts';
import { createTokenUsage } from '../shared/security/token-usage.ts';
import type { ApiDeps } from './deps.ts';

/** The authenticator that the settings ask for. */
export function authenticatorOf(deps: ApiDeps): Authenticator {
  const { storedTokens: tokens, now, log } = deps;
  const { apiKey, method } = deps.settings.auth;
  const usage = createTokenUsage({
    tokens,
    now,
    trouble: (error) => log.warn({ err: error }, 'the use of tokens could not be noted'),
  });
  const stored = createStoredTokens({ tokens, apiKey, now, onUse: (id) => usage.note(id) });
  const unsubscribe = deps.engine.wake.subscribe(
    TOKENS_TOPIC,
    () => stored.forget(),
    (tokenId) => stored.remembers(tokenId),
  );
  const acceptsTokens = method === undefined || method.acceptTokens;
  return createAuthenticator({
    bearers: [
      ...(acceptsTokens ? [stored] : []),
      ...(method?.kind === 'jwt' ? [method.tokens] : []),
    ],
    identifyCertificate: method?.kind === 'mtls' ? createCertificates(method) : null,
    forget: () => stored.forget(),
    close: () => {
      unsubscribe();
      return usage.flush();
    },
  });
}
