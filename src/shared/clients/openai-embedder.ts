import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';

import { DIMENSIONS } from '../domain/memory/vector.ts';
import type { Embedder, Embedding } from '../ports/embedder.ts';

/*
 * The provider's embeddings endpoint (POST {base}/embeddings). Network errors and 5xx are retried
 * with growing pauses within the time limit; refusals of the provider are not.
 *
 * An error body of the provider may quote the key or the text, so none is ever read: only the
 * status is used. Redirects are not followed, so the key goes to the configured host only.
 *
 * `@ai-sdk/openai-compatible` was tried instead. It reads error bodies, sends a list of texts and
 * `encoding_format`, and an embedding took 2.6 ms on loopback instead of 0.6 to 1.1 ms. Tries,
 * limits and refusals would stay here.
 */

export interface OpenAiEmbedderOptions {
  /** Key `memory.embedding_base_url`; null: the provider's own. */
  readonly baseUrl: string | null;
  /** All tries together. */
  readonly timeLimitMs?: number;
  /** Pause before the second try; it doubles with every further one. */
  readonly firstPauseMs?: number;
  readonly triesMax?: number;
  /** From 0 to 1, for pauses that differ from process to process. */
  readonly random: () => number;
}

export const EMBEDDING_MODEL = 'text-embedding-3-small';
/** Longer than every embedding can take: a place in the quota is kept for that long. */
export const EMBEDDING_MS_MAX = 20_000;

export function createOpenAiEmbedder(
  options: OpenAiEmbedderOptions,
): Embedder & { close(): Promise<void> } {
  const { timeLimitMs = EMBEDDING_MS_MAX, firstPauseMs = 250, triesMax = 4, random } = options;
  const base = (options.baseUrl ?? 'https://api.openai.com/v1').replace(/\/+$/, '');
  let client: Promise<Client> | null = null;

  async function attempt(params: Attempt): Promise<Outcome> {
    const { apiKey, text, signal } = params;
    let response: Dispatcher.ResponseData;
    try {
      const { request, agent } = await (client ??= openClient());
      response = await request(`${base}/embeddings`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: EMBEDDING_MODEL, input: text }),
        signal,
      });
    } catch {
      return unavailable(signal.aborted ? TOO_SLOW : 'cannot be reached', !signal.aborted);
    }
    if (response.statusCode === 200) return readEmbedding(response, signal);
    await response.body.dump({ limit: DUMPED_BYTES_MAX }).catch(() => undefined);
    return refusalOf(response);
  }

  return {
    async embed({ apiKey, text }) {
      if (!HEADER_TEXT.test(apiKey)) return { ok: false, reason: 'key_invalid' };
      const limit = AbortSignal.timeout(timeLimitMs);
      for (let tries = 1; ; tries += 1) {
        const { embedding, mayPass } = await attempt({ apiKey, text, signal: limit });
        if (!mayPass || tries >= triesMax) return embedding;
        const pauseMs = firstPauseMs * 2 ** (tries - 1) * (0.5 + random() / 2);
        const isOver = await delay(pauseMs, false, { signal: limit }).catch(() => true);
        if (isOver) return embedding;
      }
    },
    close: async () => (await client)?.agent.destroy(),
  };
}

/** Loaded with the first embedding: few processes make any. */
async function openClient() {
  const { Agent, request } = await import('undici');
  return {
    request,
    agent: new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 30_000 }),
  };
}

type Client = Awaited<ReturnType<typeof openClient>>;

interface Attempt {
  readonly apiKey: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

interface Outcome {
  readonly embedding: Embedding;
  /** Another try may end otherwise. */
  readonly mayPass: boolean;
}

/** The valid characters of a header; others would cause an error with the key in its message. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;
const TOO_SLOW = 'did not answer in time';
const UNREADABLE = 'gave an answer that is no embedding';
/** An embedding takes about 35 000 bytes as JSON. */
const ANSWER_BYTES_MAX = 512 * 1024;
const DUMPED_BYTES_MAX = 64 * 1024;
const RETRY_AFTER_SECONDS_MAX = 3600;

async function readEmbedding(
  response: Dispatcher.ResponseData,
  signal: AbortSignal,
): Promise<Outcome> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > ANSWER_BYTES_MAX) return unavailable(UNREADABLE, false);
    }
  } catch {
    return unavailable(signal.aborted ? TOO_SLOW : 'broke off its answer', !signal.aborted);
  }
  const values = findValues(Buffer.concat(chunks).toString('utf8'));
  if (values === null) return unavailable(UNREADABLE, false);
  return { embedding: { ok: true, values }, mayPass: false };
}

function findValues(text: string): readonly number[] | null {
  try {
    const { data } = JSON.parse(text) as {
      readonly data?: readonly { readonly embedding?: unknown }[];
    };
    const values: unknown = data?.[0]?.embedding;
    if (!Array.isArray(values) || values.length !== DIMENSIONS) return null;
    const isFinite = values.every((value) => typeof value === 'number' && Number.isFinite(value));
    return isFinite ? (values as readonly number[]) : null;
  } catch {
    return null;
  }
}

function refusalOf({ statusCode, headers }: Dispatcher.ResponseData): Outcome {
  switch (statusCode) {
    case 401:
    case 403:
      return { embedding: { ok: false, reason: 'key_invalid' }, mayPass: false };
    case 400:
    case 413:
    case 422:
      return { embedding: { ok: false, reason: 'text_refused' }, mayPass: false };
    case 429: {
      const retryAfterSeconds = readRetryAfter(headers['retry-after']);
      return {
        embedding: { ok: false, reason: 'rate_limited', retryAfterSeconds },
        mayPass: false,
      };
    }
    default:
      return unavailable(`answered with status ${statusCode}`, statusCode >= 500);
  }
}

/** Seconds only: the provider sends no dates. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d+(\.\d+)?$/.test(header)) return null;
  return Math.min(Math.max(Math.ceil(Number(header)), 1), RETRY_AFTER_SECONDS_MAX);
}

function unavailable(detail: string, mayPass: boolean): Outcome {
  return { embedding: { ok: false, reason: 'unavailable', detail }, mayPass };
}
