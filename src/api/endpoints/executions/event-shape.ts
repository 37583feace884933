import { z } from 'zod';

import type { RecordedEvent } from '../../../shared/domain/execution/event.ts';
import type { ExecutionId } from '../../../shared/domain/ids.ts';
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
  const members = Object.entries(shaped.payload);
  const brief = members.filter(([, value]) => JSON.stringify(value).length <= BRIEF_CHARS);
  return brief.length === members.length
    ? shaped
    : { ...shaped, payload: Object.fromEntries(brief) };
}
