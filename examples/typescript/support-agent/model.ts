import { sendJson } from '../send-json.ts';
import { TOOLS } from './tools.ts';

/** The call of a tool that a model asks for. */
export type Call = { readonly id: string; readonly tool: string; readonly orderId: string };

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly call: Call | null }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string };

export type Reply = Extract<Message, { readonly role: 'assistant' }>;

/* Chat completions, as OpenAI and many compatible servers answer them. */
type WireCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};
type Completion = {
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly WireCall[];
    };
  }[];
};

/** The next message of the model: an answer, or the call of one tool. */
export async function askModel(messages: readonly Message[]): Promise<Reply> {
  const { MODEL_URL = 'http://127.0.0.1:8081', MODEL = 'gpt-5-mini' } = process.env;
  const { choices } = await sendJson<Completion>('POST', `${MODEL_URL}/v1/chat/completions`, {
    model: MODEL,
    messages: messages.map(toWire),
    tools: TOOLS,
    parallel_tool_calls: false,
  });
  const [choice] = choices;
  if (choice === undefined) throw new Error('the model gave no choice');
  const { content, tool_calls: [call] = [] } = choice.message;
  return { role: 'assistant', text: content ?? '', call: call === undefined ? null : read(call) };
}

function toWire(message: Message): object {
  const { role, text: content } = message;
  if (message.role === 'tool') return { role, content, tool_call_id: message.callId };
  if (message.role === 'user' || message.call === null) return { role, content };
  const { id, tool: name, orderId } = message.call;
  const asked = { name, arguments: JSON.stringify({ order_id: orderId }) };
  return { role, content, tool_calls: [{ id, type: 'function', function: asked }] };
}

function read(call: WireCall): Call {
  const { order_id: orderId } = JSON.parse(call.function.arguments) as { order_id: string };
  return { id: call.id, tool: call.function.name, orderId };
}
