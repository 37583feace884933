import { z } from 'zod';

import { triggerSchedule as trigger } from '../../../shared/engine/schedules/trigger-schedule.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { readIdempotencyKey } from '../../schemas/idempotency-key.ts';
import { executionId } from '../../schemas/text.ts';
import { scheduleParam } from './schedule-shape.ts';

export const triggerSchedule = defineEndpoint({
  name: 'trigger-schedule',
  method: 'POST',
  path: '/schedules/:id/trigger',
  access: 'write',
  summary: 'Starts the execution of a schedule now',
  note:
    'The caller starts it, also while the schedule is paused. The next fires stay, and the ' +
    'overlap policy does not count this execution. An `Idempotency-Key` header works as for ' +
    '`POST /executions`.',
  params: scheduleParam,
  replies: { 201: z.object({ execution_id: executionId }) },
  errors: [400, 404, 409, 429],
  async handle(request, { engine }) {
    const started = await trigger(engine, request.caller, {
      schedule: request.params.id,
      idempotencyKey: readIdempotencyKey(request.header('Idempotency-Key')),
    });
    return { status: 201, body: { execution_id: started.executionId } };
  },
});
