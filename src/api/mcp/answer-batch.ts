import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';

const BATCH_REVISION = '2025-03-26';
const MESSAGES_MAX = 50;
const INVALID_REQUEST = -32600;

/**
 * Answers a list of messages, which revision 2025-03-26 alone has: its clients name no revision after
 * the handshake. The messages are answered one after the other, so that a batch takes no more of the
 * service than the same messages sent singly.
 */
export async function answerBatch(params: {
  readonly messages: readonly JsonValue[];
  /** The value of the header MCP-Protocol-Version; null: absent. */
  readonly revision: string | null;
  readonly answer: (message: JsonObject) => Promise<Response>;
}): Promise<Response> {
  const { messages, revision, answer } = params;
  if (revision !== null && revision !== BATCH_REVISION) {
    return refuse(`revision ${revision} has no batches: send each message separately`);
  }
  if (messages.length === 0 || messages.length > MESSAGES_MAX) {
    return refuse(`a batch must hold 1 to ${MESSAGES_MAX} messages`);
  }
  const answers: unknown[] = [];
  for (const message of messages) {
    const objection = objectTo(message);
    if (objection !== null) answers.push(invalid(objection, message));
    else answers.push(...(await readMessages(await answer(message as JsonObject))));
  }
  return answers.length === 0 ? new Response(null, { status: 202 }) : Response.json(answers);
}

function objectTo(message: JsonValue): string | null {
  if (!isJsonObject(message)) return 'a message must be an object';
  return message['method'] === 'initialize' ? 'initialize must be sent alone' : null;
}

/** None for a notification. A list has no place for a request's notifications, such as progress. */
async function readMessages(response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  if (text === '') return [];
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const found = isStream ? readEvents(text) : [JSON.parse(text) as unknown];
  return found.filter((one) => isJsonObject(one) && 'id' in one && !('method' in one));
}

/** The SDK writes an event's message on one line. */
function readEvents(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as unknown);
}

function invalid(reason: string, message: JsonValue): JsonObject {
  const { id = null } = isJsonObject(message) ? message : {};
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: reason } };
}

function refuse(reason: string): Response {
  return Response.json(invalid(reason, null), { status: 400 });
}
