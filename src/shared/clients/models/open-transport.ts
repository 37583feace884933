import type { ModelFailure } from '../../ports/models.ts';
import { judgeStatus } from './judge-status.ts';
import type { Protocol, ProviderAccess } from './provider-access.ts';
import { ProviderFailure } from './provider-failure.ts';

/**
 * The `fetch` of one call, between a provider's client and the way out.
 *
 * It puts the key on the request, so that no client ever holds it; follows no redirect, since none of
 * these protocols has any; and judges the head of the answer, so that a client sees only answers that
 * are what it asked for. The body of any other is not handed on: it may quote the key or the prompt.
 */
export function openTransport(params: {
  readonly access: ProviderAccess;
  readonly fetch: typeof globalThis.fetch;
  readonly idempotencyKey: string | null;
  readonly isStreamed: boolean;
  readonly now: () => number;
}): typeof globalThis.fetch {
  const { access, idempotencyKey, isStreamed, now } = params;
  const contentType = isStreamed ? 'text/event-stream' : 'application/json';
  const bytesMax = isStreamed ? STREAM_BYTES_MAX : ANSWER_BYTES_MAX;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of Object.values(KEY_HEADERS)) headers.delete(name);
    headers.set('user-agent', 'svc');
    headers.set('accept', contentType);
    if (access.apiKey !== null) {
      const value = access.protocol === 'openai' ? `Bearer ${access.apiKey}` : access.apiKey;
      headers.set(KEY_HEADERS[access.protocol], value);
    }
    if (idempotencyKey !== null && access.protocol !== 'google') {
      headers.set('idempotency-key', idempotencyKey);
    }
    if (!isBelow(input, access.baseUrl)) throw new ProviderFailure(ELSEWHERE(access.provider));
    const response = await params.fetch(input, { ...init, headers, redirect: 'manual' });
    if (response.status !== 200) {
      throw new ProviderFailure(await judgeStatus(response, { access, now: now() }));
    }
    const given = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim();
    if (given?.toLowerCase() !== contentType || response.body === null) {
      await response.body?.cancel();
      throw new ProviderFailure(WRONG_TYPE(access.provider, contentType));
    }
    const body = response.body.pipeThrough(limitBytes(bytesMax, access.provider));
    return new Response(body, { status: 200, headers: response.headers });
  };
}

/** A client puts a path together from what a workflow says: it must not lead out of the base URL. */
function isBelow(input: Parameters<typeof globalThis.fetch>[0], baseUrl: string): boolean {
  const url = new URL(input instanceof Request ? input.url : input);
  const base = new URL(baseUrl);
  const path = base.pathname.replace(/(?<!\/)\/+$/, '');
  return url.origin === base.origin && url.pathname.startsWith(`${path}/`);
}

const KEY_HEADERS: Readonly<Record<Protocol, string>> = {
  openai: 'authorization',
  anthropic: 'x-api-key',
  google: 'x-goog-api-key',
};

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Every token of a streamed answer comes in some 250 bytes of its own. */
const STREAM_BYTES_MAX = 64 * 1024 * 1024;

function limitBytes(bytesMax: number, provider: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw new ProviderFailure(TOO_LARGE(provider));
      controller.enqueue(chunk);
    },
  });
}

export const TOO_LARGE = (provider: string): Omit<ModelFailure, 'ok'> => ({
  error: `provider ${provider} answers with more than is taken`,
  errorClass: 'too_large',
  final: false,
});

const ELSEWHERE = (provider: string): Omit<ModelFailure, 'ok'> => ({
  error: `the model's name leads away from provider ${provider}`,
  errorClass: 'invalid_input',
  final: true,
});

const WRONG_TYPE = (provider: string, contentType: string): Omit<ModelFailure, 'ok'> => ({
  error: `provider ${provider} gave an answer that is not ${contentType}`,
  errorClass: 'invalid_response',
  final: false,
});
