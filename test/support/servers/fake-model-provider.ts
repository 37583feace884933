import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { renderAnswer, renderStream, type Protocol } from './model-protocols.ts';
import { freePort } from './ports.ts';

/** Nobody may repeat these words of a model provider: its error bodies have them beside the key. */
export const MODEL_PROVIDER_WORDS = 'words-of-the-model-provider-that-nobody-may-repeat';

export interface FakeAnswer {
  readonly text?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: string;
  }[];
  /** The names of OpenAI. */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export type FakeReply =
  | FakeAnswer
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Members of `error` beside the message, which contains the key and the provider's words. */
      readonly error?: Readonly<Record<string, unknown>>;
    }
  | { readonly take: (response: ServerResponse) => void };

export interface ModelRequest {
  readonly protocol: Protocol;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly isStreamed: boolean;
  readonly body: Record<string, unknown>;
}

type Answer = FakeReply | ((request: ModelRequest) => FakeReply | Promise<FakeReply>);

/**
 * The HTTP APIs of the model providers on loopback. The model alone determines the answer: a model
 * without a scripted answer says `Hello from <model>`.
 */
export async function startFakeModelProvider() {
  const requests: ModelRequest[] = [];
  const answers = new Map<string, Answer>();

  async function respond(request: ModelRequest, response: ServerResponse): Promise<void> {
    const set = answers.get(request.model) ?? { text: `Hello from ${request.model}` };
    const reply = typeof set === 'function' ? await set(request) : set;
    if ('take' in reply) return reply.take(response);
    if ('status' in reply) {
      const key = Object.entries(request.headers).find(([name]) => KEY_HEADERS.includes(name));
      const message = `${MODEL_PROVIDER_WORDS}: ${String(key?.[1])}`;
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify({ error: { message, ...reply.error } }));
      return;
    }
    if (request.isStreamed) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(renderStream(request.protocol, request.model, reply));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(renderAnswer(request.protocol, request.model, reply)));
  }

  const server = createServer((incoming, response) => {
    void (async () => {
      const body = JSON.parse(await text(incoming)) as Record<string, unknown>;
      const path = incoming.url ?? '';
      const request = { path, headers: incoming.headers, body, ...readAddress(path, body) };
      requests.push(request);
      await respond(request, response);
    })();
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** Base URLs by provider. */
    baseUrls: {
      openai: `${url}/v1`,
      ollama: `${url}/v1`,
      anthropic: `${url}/anthropic/v1`,
      google: `${url}/google/v1beta`,
    },
    requests,
    requestsFor: (model: string) => requests.filter((request) => request.model === model),
    answer: (model: string, answer: Answer) => void answers.set(model, answer),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export type FakeModelProvider = Awaited<ReturnType<typeof startFakeModelProvider>>;

const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

function readAddress(
  path: string,
  body: Record<string, unknown>,
): Pick<ModelRequest, 'protocol' | 'model' | 'isStreamed'> {
  const [, model, verb] = /\/models\/([^:]+):(\w+)/.exec(path) ?? [];
  if (model !== undefined) {
    return { protocol: 'google', model, isStreamed: verb === 'streamGenerateContent' };
  }
  const protocol = path.endsWith('/messages') ? 'anthropic' : 'openai';
  return { protocol, model: String(body['model']), isStreamed: body['stream'] === true };
}
