import type { AuthPart } from '../domain/workflow/parse/parts.ts';
import type { SecretReading } from '../ports/named-secrets.ts';
import { signalOf } from '../security/guarded-fetch.ts';

/** A secret that a definition names cannot be had, or was not accepted; the message says what to do. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  /** Whether another attempt could go better. */
  readonly isFinal: boolean;

  constructor(message: string, options: { readonly isFinal: boolean; readonly cause?: unknown }) {
    super(message, options);
    this.isFinal = options.isFinal;
  }
}

/**
 * A `fetch` that proves who we are to one origin, and to no other. Secrets are read for every request,
 * so that a rotated one counts at once; a token of OAuth 2.0 (client credentials, RFC 6749 section
 * 4.4) is kept until shortly before it expires, and fetched again when it is turned down.
 *
 * Rejects with an `AuthorizationError` when there is no secret or no token.
 */
export function createAuthorizedFetch(options: {
  /** Must refuse redirects to other origins: the client's secret stands in a header. */
  readonly fetch: typeof globalThis.fetch;
  readonly auth: AuthPart | null;
  readonly origin: string;
  readonly readSecret: (name: string) => SecretReading;
  /** Called with each secret or token, so that it can be removed from messages. */
  readonly onSecret?: (name: string, value: string) => void;
  /** Milliseconds of any steady clock. */
  readonly now: () => number;
}): typeof globalThis.fetch {
  const { fetch, auth, origin, onSecret = () => undefined, now } = options;
  if (auth === null) return fetch;
  const read = (name: string): string => {
    const reading = options.readSecret(name);
    if (!reading.ok) throw new AuthorizationError(reading.problem, { isFinal: true });
    onSecret(name, reading.value);
    return reading.value;
  };
  if (auth.type !== 'oauth2') {
    return (input, init) => {
      const request = new Request(input, init);
      const given = { signal: signalOf(input, init) };
      if (new URL(request.url).origin !== origin) return fetch(request, given);
      if (auth.type === 'bearer')
        setHeader(request, 'authorization', `Bearer ${read(auth.tokenEnv)}`);
      else setHeader(request, auth.header, read(auth.keyEnv));
      return fetch(request, given);
    };
  }
  const tokens = createTokenSource({ auth, fetch, read, onSecret, now });
  return async (input, init) => {
    const request = new Request(input, init);
    const given = { signal: signalOf(input, init) };
    if (new URL(request.url).origin !== origin) return fetch(request, given);
    const again = request.clone();
    setHeader(request, 'authorization', `Bearer ${await tokens.get(request.signal)}`);
    const response = await fetch(request, given);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.forget();
    setHeader(again, 'authorization', `Bearer ${await tokens.get(request.signal)}`);
    return fetch(again, given);
  };
}

function setHeader(request: Request, name: string, value: string): void {
  try {
    request.headers.set(name, value);
  } catch (error) {
    // The complaint would quote the value.
    const message = 'a secret has characters that a header cannot carry';
    throw new AuthorizationError(message, { isFinal: true, cause: nameOf(error) });
  }
}

function createTokenSource(params: {
  readonly auth: AuthPart & { readonly type: 'oauth2' };
  readonly fetch: typeof globalThis.fetch;
  readonly read: (name: string) => string;
  readonly onSecret: (name: string, value: string) => void;
  readonly now: () => number;
}) {
  const { auth, fetch, read, onSecret, now } = params;
  let kept: { readonly token: string; readonly until: number } | null = null;
  return {
    async get(signal: AbortSignal): Promise<string> {
      if (kept !== null && now() < kept.until) return kept.token;
      const id = encodeURIComponent(read(auth.clientIdEnv));
      const secret = encodeURIComponent(read(auth.clientSecretEnv));
      const response = await fetch(auth.tokenUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
          accept: 'application/json',
        },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        signal,
      });
      kept = await readToken(response, now());
      onSecret('access token', kept.token);
      return kept.token;
    },
    forget() {
      kept = null;
    },
  };
}

async function readToken(response: Response, now: number) {
  const { host } = new URL(response.url);
  if (!response.ok) {
    await response.body?.cancel();
    const isFinal = [400, 401, 403].includes(response.status);
    throw new AuthorizationError(`${host} gave no token: it answered ${response.status}`, {
      isFinal,
    });
  }
  const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  const token = answer?.['access_token'];
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new AuthorizationError(`${host} answered without a token`, { isFinal: false });
  }
  const seconds = Number(answer?.['expires_in'] ?? TOKEN_SECONDS);
  const lifeMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : TOKEN_SECONDS * 1000;
  return { token, until: now + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** When the answer doesn't say. */
const TOKEN_SECONDS = 300;
const MARGIN_MS = 30_000;
