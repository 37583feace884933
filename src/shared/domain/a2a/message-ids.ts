import type { RecordedEvent } from '../execution/event.ts';
import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/** Ids that a client chose for its message; they tell nothing else, so no data policy hides them. */
export interface MessageIds {
  readonly messageId: string;
  /** Empty: the client named none. */
  readonly contextId: string;
}

/** Id of the message in an execution's input or an event's payload; null: none. */
export function messageIdsOf(holder: JsonValue): MessageIds | null {
  const message = isJsonObject(holder) ? (holder['message'] ?? null) : null;
  if (!isJsonObject(message)) return null;
  const { messageId, contextId = '' } = message;
  if (typeof messageId !== 'string' || typeof contextId !== 'string') return null;
  return { messageId, contextId };
}

/** Stands as the deciding user of an approval, so that the message is found there again. */
export function deciderOf(messageId: string): string {
  return `a2a:${messageId}`;
}

/** Whether this event is what became of the message. */
export function wasBroughtBy(event: RecordedEvent, messageId: string): boolean {
  if (event.kind === 'ApprovalReceived') return event.payload.user_id === deciderOf(messageId);
  if (event.kind !== 'ExternalEventReceived') return false;
  return messageIdsOf(event.payload.payload)?.messageId === messageId;
}
