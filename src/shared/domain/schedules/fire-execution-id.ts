import { createHash } from 'node:crypto';

import { executionIdFromUuid, type ExecutionId } from '../ids.ts';

/**
 * The id of the execution that a fire starts. It is derived from schedule and fire, so a repeated
 * start finds the existing execution. A UUIDv7 of the fire's time whose random part is a hash.
 */
export function fireExecutionId(fire: {
  readonly scheduleId: string;
  readonly fireAt: string;
}): ExecutionId {
  const { scheduleId, fireAt } = fire;
  const time = Date.parse(fireAt).toString(16).padStart(12, '0');
  const hash = createHash('sha256').update(`schedule:${scheduleId}:${fireAt}`).digest('hex');
  return executionIdFromUuid(`${time}7${hash.slice(0, 3)}8${hash.slice(3, 18)}`);
}
