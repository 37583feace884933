import { z } from 'zod';

import type { RecordedEvent } from '../../../shared/domain/execution/event.ts';
import type { ExecutionId } from '../../../shared/domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/domain/json.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

export const eventShape = z.object({
  sequence: z.int().min(1).meta({ description: 'From 1, without gaps.' }),
  kind: z.string(),
  node_id: z.string().nullable(),
  created_at: timestamp,
  event_id: z.string(),
  execution_id: executionId,
  actor_id: z.string(),
  payload: anyObject,
});

export function shapeEvent(
  executionId: ExecutionId,
  event: RecordedEvent,
): z.input<typeof eventShape> {
  return {
    sequence: event.sequence,
    kind: event.kind,
    node_id: event.nodeId,
    created_at: event.createdAt,
    event_id: `${executionId}:${event.sequence}`,
    execution_id: executionId,
    actor_id: event.actorId,
    payload: { ...event.payload },
  };
}

/** A longer member of a payload is not brief. */
export const BRIEF_CHARS = 256;

/** An event for a list: without the large members of its payload. */
export function shapeBriefly(
  executionId: ExecutionId,
  event: RecordedEvent,
): z.input<typeof eventShape> {
  const shaped = shapeEvent(executionId, event);
  const members = Object.entries(event.payload);
  const brief = members.flatMap(([name, value]) => {
    if (isBrief(value)) return [[name, value] as const];
    return JOURNALS.has(name) && Array.isArray(value)
      ? [[name, value.map(nameEntry)] as const]
      : [];
  });
  return { ...shaped, payload: Object.fromEntries(brief) };
}

/** Members with the steps and the waits of a durable function. */
const JOURNALS: ReadonlySet<string> = new Set(['entries', 'waits']);

/** A list of events names the steps and says why they failed, and leaves out their results. */
function nameEntry(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return null;
  const { identity, kind, error } = entry;
  return {
    ...keepBrief({ identity, kind }),
    ...(error !== undefined && { error: shortenError(error) }),
  };
}

function shortenError(error: JsonValue): JsonValue {
  if (isBrief(error) || !isJsonObject(error)) return error;
  const { message, ...rest } = error;
  return {
    ...(typeof message === 'string' && { message: shorten(message) }),
    ...keepBrief(rest),
  };
}

function shorten(message: string): string {
  if (message.length <= BRIEF_CHARS) return message;
  return `${message.slice(0, BRIEF_CHARS).toWellFormed()}…`;
}

function keepBrief(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(
      (member): member is [string, JsonValue] => member[1] !== undefined && isBrief(member[1]),
    ),
  );
}

function isBrief(value: JsonValue): boolean {
  return JSON.stringify(value).length <= BRIEF_CHARS;
}
