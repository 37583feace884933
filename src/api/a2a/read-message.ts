import { Message } from '@a2a-js/sdk';

import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import { decode } from '../decode.ts';
import { userObject } from '../schemas/json-values.ts';

/**
 * The value that a workflow gets from a message: its input when the message begins a task, or else
 * an event's payload.
 */
export interface MessageInput extends JsonObject {
  /** The message in the JSON of A2A 1.0, also if it came in another version. */
  readonly message: JsonObject;
  /** Its text parts, a line break between them; empty when it has none. */
  readonly text: string;
  /** Its data part; a list when it has several, null when it has none. */
  readonly data: JsonValue;
}

/** Throws the 400 for what must not become part of a state. */
export function readMessage(message: Message): MessageInput {
  const texts: string[] = [];
  const data: JsonValue[] = [];
  for (const { content } of message.parts) {
    if (content?.$case === 'text') texts.push(content.value);
    if (content?.$case === 'data') data.push((content.value ?? null) as JsonValue);
  }
  const input = {
    message: Message.toJSON(message) as JsonObject,
    text: texts.join('\n'),
    data: data.length > 1 ? data : (data[0] ?? null),
  };
  return decode(userObject, input) as MessageInput;
}

/** The message that began the task of this input; null for an execution that none began. */
export function firstMessageOf(input: JsonObject): Message | null {
  const { message } = input;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const { messageId, parts } = message as JsonObject;
  return typeof messageId === 'string' && Array.isArray(parts) ? tryToRead(message) : null;
}

/** Executions that were started without A2A may have any value under this name. */
function tryToRead(json: object): Message | null {
  try {
    const message = Message.fromJSON(json);
    Message.toJSON(message);
    // Version 0.3 cannot express parts without content.
    return message.parts.every(({ content }) => content !== undefined) ? message : null;
  } catch {
    return null;
  }
}
