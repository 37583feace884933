import { z } from 'zod';

import { NEXT_FIRES_SHOWN } from '../../../shared/domain/schedules/schedule.ts';
import { previewFires } from '../../../shared/engine/schedules/preview-fires.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { given, omittable, timestamp } from '../../schemas/text.ts';
import { specFields } from './schedule-shape.ts';

const COUNT_MAX = 100;

export const previewSchedule = defineEndpoint({
  name: 'preview-schedule',
  method: 'POST',
  path: '/schedules/preview',
  access: 'write',
  summary: 'Shows the next fires of a timing',
  note: 'Stores nothing. A wrong timing is a 400, as for `POST /schedules`.',
  body: z
    .strictObject({
      cron_expression: omittable(specFields.cron_expression),
      every: omittable(specFields.every),
      timezone: omittable(specFields.timezone),
      count: omittable(
        z.int().min(1, 'must be at least 1').max(COUNT_MAX, `must be at most ${COUNT_MAX}`),
      ).meta({ description: `How many; ${NEXT_FIRES_SHOWN} by default.` }),
    })
    .meta({ oneOf: [given('cron_expression'), given('every')] }),
  replies: {
    200: z.object({
      next_fires: z
        .array(timestamp)
        .max(COUNT_MAX)
        .meta({ description: 'Oldest first; fewer where the timing has no more.' }),
    }),
  },
  async handle({ body }, { engine }) {
    const fires = await previewFires(engine, {
      timing: {
        cronExpression: body.cron_expression,
        every: body.every,
        timezone: body.timezone ?? 'UTC',
      },
      count: body.count ?? NEXT_FIRES_SHOWN,
    });
    return { status: 200, body: { next_fires: fires.slice() } };
  },
});
