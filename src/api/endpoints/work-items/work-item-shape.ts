import type { ClaimedWork } from '../../../shared/engine/work/hand-out-items.ts';
import { z } from 'zod';

import { WORKER_QUEUES } from '../../../shared/domain/work/work-item.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { journalShape, shapeJournal } from './journal-shapes.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

export const workItemShape = z.object({
  id: z.string(),
  execution_id: executionId,
  node_id: z.string(),
  queue_type: z.enum(WORKER_QUEUES),
  queue: z.string().optional().meta({
    description: 'The queue that its node names; absent: `default`.',
  }),
  payload: anyObject.meta({
    description: '`{module, function, input}`; Java items carry `class` and `method` too.',
  }),
  attempt: z.int().min(0).meta({ description: 'From 0.' }),
  lease_fence: z.int().min(1),
  idempotency_key: z.string().meta({ pattern: '^[0-9a-f]{64}$' }),
  lease_expires_at: timestamp,
  heartbeat_interval_ms: z.int(),
  max_attempts: z.int(),
  turn: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'For a durable function: its turn, from 0.' }),
  mode: z.enum(['run', 'rollback']).optional().meta({
    description: 'For a durable function; `rollback`: only its compensations run.',
  }),
  cancel_requested: z.boolean().optional(),
  journal: journalShape.optional(),
  traceparent: z.string().optional().meta({
    description:
      'Where the worker’s own spans belong, by W3C Trace Context; where traces are exported.',
  }),
});

export function shapeClaimed(claimed: ClaimedWork): z.input<typeof workItemShape> {
  const { record, opened } = claimed;
  return {
    id: record.workItemId,
    execution_id: record.executionId,
    node_id: record.nodeId,
    queue_type: record.queue,
    ...(record.queueName !== undefined && { queue: record.queueName }),
    payload: record.payload,
    attempt: claimed.attempt,
    lease_fence: claimed.leaseFence,
    idempotency_key: record.idempotencyKey,
    lease_expires_at: claimed.leaseExpiresAt,
    heartbeat_interval_ms: record.heartbeatIntervalMs,
    max_attempts: record.retryPolicy.maxAttempts,
    ...(opened !== null && {
      turn: opened.turn,
      mode: opened.mode,
      cancel_requested: opened.cancelRequested,
      journal: shapeJournal(opened.journal),
    }),
  };
}
