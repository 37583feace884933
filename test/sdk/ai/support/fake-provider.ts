import type { IncomingMessage, ServerResponse } from 'node:http';

import { startHttpServer } from '../../../support/servers/http-server.ts';

/* A provider with the chat API that many providers share, as JSON and as a stream of events. */

export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** The answer of the model: text, or tool calls. */
export type Answer =
  | string
  | readonly { readonly tool: string; readonly input: object }[]
  | { readonly status: number };

export interface FakeProvider {
  readonly url: string;
  /** The conversations in the requests. */
  readonly asked: readonly (readonly Message[])[];
  /** The number of callers that left before the answer. */
  readonly left: () => number;
  close(): Promise<void>;
}

const NEVER = { status: 0 };

/** Never answers. */
export const noAnswer: Answer = NEVER;

/** `answer` gets the conversation and the number of earlier requests. */
export async function startFakeProvider(
  answer: (messages: readonly Message[], requests: number) => Answer,
): Promise<FakeProvider> {
  const asked: (readonly Message[])[] = [];
  let left = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    asked.push(body.messages);
    const given = answer(body.messages, asked.length - 1);
    if (given === NEVER) response.once('close', () => (left += 1));
    else if (isStatus(given)) refuse(response, given.status);
    else if (body.stream === true) stream(response, { given, number: asked.length });
    else json(response, { given, number: asked.length });
  };
  const server = await startHttpServer((request, response) => void reply(request, response));
  return { url: server.url, asked, left: () => left, close: () => server.close() };
}

/** Picks the answer by the number of the model's messages in the conversation. */
export function inTurn(...answers: readonly Answer[]): (messages: readonly Message[]) => Answer {
  return (messages) => {
    const spoken = messages.filter(({ role }) => role === 'assistant').length;
    return answers[spoken] ?? 'nothing more to say';
  };
}

async function readBody(
  request: IncomingMessage,
): Promise<{ readonly messages: readonly Message[]; readonly stream?: boolean }> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as { readonly messages: readonly Message[]; readonly stream?: boolean };
}

function isStatus(given: Answer): given is { readonly status: number } {
  return typeof given === 'object' && 'status' in given;
}

type Spoken = Exclude<Answer, { readonly status: number }>;

interface Reply {
  readonly given: Spoken;
  readonly number: number;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `refused with ${status}` } }));
}

function json(response: ServerResponse, { given, number }: Reply): void {
  const message =
    typeof given === 'string'
      ? { role: 'assistant', content: given }
      : { role: 'assistant', content: null, tool_calls: toolCalls(given, number) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: `answer-${number}`,
      created: 1_700_000_000,
      model: 'fake-1',
      choices: [{ index: 0, message, finish_reason: finish(given) }],
      usage: USAGE,
    }),
  );
}

function stream(response: ServerResponse, { given, number }: Reply): void {
  const deltas =
    typeof given === 'string'
      ? given.split('').map((content) => ({ role: 'assistant', content }))
      : [{ role: 'assistant', tool_calls: toolCalls(given, number) }];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choice: object, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({
        id: `answer-${number}`,
        created: 1_700_000_000,
        model: 'fake-1',
        choices: [{ index: 0, ...choice }],
        ...more,
      })}\n\n`,
    );
  for (const delta of deltas) chunk({ delta });
  chunk({ delta: {}, finish_reason: finish(given) }, { usage: USAGE });
  response.end('data: [DONE]\n\n');
}

function finish(given: Spoken): string {
  return typeof given === 'string' ? 'stop' : 'tool_calls';
}

/** Tool calls with ids that are unique across answers. */
function toolCalls(
  calls: readonly { readonly tool: string; readonly input: object }[],
  number: number,
): readonly object[] {
  return calls.map(({ tool, input }, index) => ({
    index,
    id: `call-${number}-${index}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
}
