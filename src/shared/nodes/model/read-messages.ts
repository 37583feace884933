import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { ModelMessage, ModelToolCall } from '../../ports/models.ts';
import { readToolCalls } from './read-tool-calls.ts';

export type ReadMessages =
  | { readonly ok: true; readonly messages: readonly ModelMessage[] }
  | { readonly ok: false; readonly problem: string };

/**
 * A conversation as workflows write it: `{role: system|developer|user, content}`, `{role: assistant,
 * content?, tool_calls?}`, `{role: tool, tool_call_id, name?, content}`. Calls are `{id, name,
 * arguments}` or have the shape of OpenAI's Chat Completions; so has a content made of text parts.
 */
export function readMessages(value: JsonValue): ReadMessages {
  if (!Array.isArray(value)) return { ok: false, problem: 'messages must be a list' };
  if (value.length > MESSAGES_MAX) {
    return { ok: false, problem: `${value.length} messages, and ${MESSAGES_MAX} are the most` };
  }
  const messages: ModelMessage[] = [];
  const toolOfCall = new Map<string, string>();
  for (const [index, item] of value.entries()) {
    const message = isJsonObject(item) ? readMessage(item, toolOfCall) : 'is not an object';
    if (typeof message === 'string') {
      return { ok: false, problem: `messages[${index}] ${message}; see docs/guides/models.md` };
    }
    if (message.role === 'assistant') {
      for (const { id, name } of message.toolCalls) toolOfCall.set(id, name);
    }
    messages.push(message);
  }
  return { ok: true, messages };
}

/** Whether a value of the state is meant as a conversation: a list of objects that have roles. */
export function isConversation(value: JsonValue): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item: JsonValue) => isJsonObject(item) && typeof item['role'] === 'string')
  );
}

/** The same, to be handed on as JSON. */
export function writeMessage(message: ModelMessage): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text,
        tool_calls: writeCalls(message.toolCalls),
      };
    case 'tool': {
      const { toolCallId, name, result } = message;
      return { role: 'tool', tool_call_id: toolCallId, name, content: result };
    }
  }
}

export function writeCalls(calls: readonly ModelToolCall[]): readonly JsonObject[] {
  return calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
}

const MESSAGES_MAX = 1000;

/** A string says what is wrong with the message. */
function readMessage(
  item: JsonObject,
  toolOfCall: ReadonlyMap<string, string>,
): ModelMessage | string {
  const { role, content = null } = item;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const text = readText(content);
      if (text === null) return NO_TEXT;
      return { role: role === 'user' ? 'user' : 'system', text };
    }
    case 'assistant': {
      const toolCalls = readToolCalls(item['tool_calls'] ?? []);
      if (typeof toolCalls === 'string') return toolCalls;
      const text = content === null ? '' : readText(content);
      return text === null ? NO_TEXT : { role, text, toolCalls };
    }
    case 'tool': {
      const { tool_call_id: toolCallId } = item;
      if (typeof toolCallId !== 'string') return 'has no tool_call_id';
      const name = item['name'] ?? toolOfCall.get(toolCallId);
      if (typeof name !== 'string') {
        return 'has no name, and no message before it asks for a call of its tool_call_id';
      }
      return { role, toolCallId, name, result: content };
    }
    default:
      return 'has a role that is none of system, developer, user, assistant, tool';
  }
}

const NO_TEXT = 'has a content that is neither text nor a list of parts {type: "text", text}';

function readText(content: JsonValue): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: JsonValue) =>
    isJsonObject(part) && part['type'] === 'text' ? part['text'] : null,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}
