import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setInterval } from 'node:timers';

import {
  startFakeModelProvider,
  type FakeReply,
  type ModelRequest,
} from '../support/servers/fake-model-provider.ts';

const MODEL = 'model';
const CHUNK_MS = 20;

type Answer = FakeReply | ((request: ModelRequest) => FakeReply | Promise<FakeReply>);

/** A model whose answer depends on the question alone. Without another one it is `Re: <question>`. */
export async function startModelScript() {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const provider = await startFakeModelProvider();
  provider.answer(MODEL, (request) => {
    const question = questionOf(request);
    asked.push(question);
    const answer = answers.get(question) ?? { text: `Re: ${question}` };
    return typeof answer === 'function' ? answer(request) : answer;
  });
  return {
    model: MODEL,
    url: provider.url,
    /** How often the model was asked this. */
    countOf: (question: string) => asked.filter((one) => one === question).length,
    answer: (question: string, answer: Answer) => void answers.set(question, answer),
    close: () => provider.close(),
  };
}

export type ModelScript = Awaited<ReturnType<typeof startModelScript>>;

/**
 * Tells more until the connection closes. Not every client closes it when it reads no longer.
 */
export function streamEndlessly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => response.write(chunk('more ')), CHUNK_MS);
  void once(response, 'close').then(() => clearInterval(timer));
}

/** An answer that the model gives only after `release`. */
export function heldAnswer(text: string) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const answer = async () => {
    arrive();
    await released;
    return { text };
  };
  return { answer, arrived, release };
}

function chunk(content: string): string {
  const choice = { index: 0, delta: { role: 'assistant', content }, finish_reason: null };
  const event = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: MODEL,
    choices: [choice],
  };
  return `data: ${JSON.stringify(event)}\n\n`;
}

function questionOf({ body }: ModelRequest): string {
  const messages = body['messages'] as readonly { readonly role: string; content: unknown }[];
  const last = messages.findLast(({ role }) => role === 'user');
  const { content } = last ?? { content: '' };
  return typeof content === 'string' ? content : textOf(content as readonly { text: string }[]);
}

function textOf(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join('');
}
