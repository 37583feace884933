import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import type { ModelMessage, ModelToolCall } from '../ports/models.ts';

export type ReadMessages =
  | { readonly ok: true; readonly messages: readonly ModelMessage[] }
  | { readonly ok: false; readonly problem: string };

/**
 * A conversation as workflows write it: `{role: system|user, content}`, `{role: assistant, content?,
 * tool_calls?: [{id, name, arguments}]}`, `{role: tool, tool_call_id, name, content}`.
 */
export function readMessages(value: JsonValue): ReadMessages {
  if (!Array.isArray(value)) return { ok: false, problem: 'messages must be a list' };
  if (value.length > MESSAGES_MAX) {
    return { ok: false, problem: `${value.length} messages, and ${MESSAGES_MAX} are the most` };
  }
  const messages: ModelMessage[] = [];
  for (const [index, item] of value.entries()) {
    const message = isJsonObject(item) ? readMessage(item) : null;
    if (message === null) {
      return { ok: false, problem: `messages[${index}] is no message: see docs/models.md` };
    }
    messages.push(message);
  }
  return { ok: true, messages };
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

function readMessage(item: JsonObject): ModelMessage | null {
  const { role, content = null } = item;
  switch (role) {
    case 'system':
    case 'user':
      return typeof content === 'string' ? { role, text: content } : null;
    case 'assistant': {
      const toolCalls = readCalls(item['tool_calls'] ?? []);
      const text = content ?? '';
      return toolCalls === null || typeof text !== 'string' ? null : { role, text, toolCalls };
    }
    case 'tool': {
      const { tool_call_id: toolCallId, name } = item;
      if (typeof toolCallId !== 'string' || typeof name !== 'string') return null;
      return { role, toolCallId, name, result: content };
    }
    default:
      return null;
  }
}

function readCalls(value: JsonValue): readonly ModelToolCall[] | null {
  if (!Array.isArray(value)) return null;
  const calls: ModelToolCall[] = [];
  for (const item of value) {
    if (!isJsonObject(item)) return null;
    const { id, name, arguments: args } = item;
    if (typeof id !== 'string' || typeof name !== 'string' || !isJsonObject(args)) return null;
    calls.push({ id, name, arguments: args });
  }
  return calls;
}
