import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { freePort } from './ports.ts';
import { seeded } from '../vectors.ts';

/** Nobody may repeat these words of a provider: its error bodies have them beside the key. */
export const PROVIDER_WORDS = 'provider-words-that-nobody-may-repeat';

/** Behaviours by prefix of the key; every other key is valid. */
type Behaviour = (response: ServerResponse, given: Given) => void;

interface Given {
  readonly key: string;
  /** The number of requests with this key so far, including this one. */
  readonly times: number;
  readonly vector: readonly number[];
}

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'sk-invalid': (response, { key }) => refuse(response, { status: 401, key }),
  'sk-forbidden': (response, { key }) => refuse(response, { status: 403, key }),
  'sk-limited': (response, { key }) =>
    refuse(response, { status: 429, key, headers: { 'retry-after': '7' } }),
  'sk-refused': (response, { key }) => refuse(response, { status: 400, key }),
  'sk-broken': (response, { key }) => refuse(response, { status: 500, key }),
  'sk-moved': (response, { key }) =>
    refuse(response, { status: 307, key, headers: { location: '/elsewhere' } }),
  'sk-flaky': (response, { key, times, vector }) =>
    times % 3 === 0 ? answer(response, vector) : refuse(response, { status: 503, key }),
  'sk-reset': (response, { times, vector }) =>
    times % 2 === 0 ? answer(response, vector) : response.destroy(),
  'sk-short': (response, { vector }) => answer(response, vector.slice(1)),
  'sk-zero': (response, { vector }) =>
    answer(
      response,
      vector.map(() => 0),
    ),
  'sk-words': (response, { vector }) => answer(response, [...vector.slice(1), PROVIDER_WORDS]),
  'sk-html': (response) => response.end(`<html>${PROVIDER_WORDS}`),
  'sk-endless': (response) => response.end(`[${'0,'.repeat(400_000)}0]`),
  'sk-silent': () => undefined,
};

export interface EmbeddingProvider {
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  /** The number of requests with this key. */
  timesOf(key: string): number;
  close(): Promise<void>;
}

export interface ProviderRequest {
  readonly path: string;
  readonly key: string;
  readonly model: unknown;
  readonly input: unknown;
}

/**
 * The provider's embeddings endpoint on loopback. Texts that share words get similar vectors. The
 * key alone determines how it handles a request.
 */
export async function startEmbeddingProvider(): Promise<EmbeddingProvider> {
  const requests: ProviderRequest[] = [];
  const timesOf = (key: string) => requests.filter((request) => request.key === key).length;
  const server = createServer((request, response) => {
    void receive(request).then((received) => {
      requests.push(received);
      const { key } = received;
      const given = { key, times: timesOf(key), vector: embed(String(received.input)) };
      const found = Object.keys(BEHAVIOURS).find((prefix) => key.startsWith(prefix));
      const behave = found === undefined ? undefined : BEHAVIOURS[found];
      if (behave === undefined) answer(response, given.vector);
      else behave(response, given);
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    timesOf,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The sum of one direction per word; not a unit vector, because clients must not rely on that. */
export function embed(words: string): readonly number[] {
  const sum = new Float64Array(1536);
  for (const word of words.toLowerCase().split(/\W+/).filter(Boolean)) {
    const random = seeded(createHash('sha256').update(word).digest().readUInt32LE());
    for (let index = 0; index < sum.length; index += 1) {
      sum[index] = (sum[index] ?? 0) + random() - 0.5;
    }
  }
  return [...sum];
}

async function receive(request: IncomingMessage): Promise<ProviderRequest> {
  const { model, input } = JSON.parse(await text(request)) as Record<string, unknown>;
  const key = (request.headers.authorization ?? '').replace('Bearer ', '');
  return { path: request.url ?? '', key, model, input };
}

function answer(response: ServerResponse, embedding: readonly unknown[]): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data: [{ index: 0, embedding }] }));
}

function refuse(
  response: ServerResponse,
  given: {
    readonly status: number;
    readonly key: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): void {
  response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
  response.end(JSON.stringify({ error: { message: `${PROVIDER_WORDS}: ${given.key}` } }));
}
