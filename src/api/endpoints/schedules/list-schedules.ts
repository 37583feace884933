import { z } from 'zod';

import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { LIMIT_DEFAULT, paging, queryInteger } from '../../schemas/query.ts';
import { noteOf, scheduleShape, shapeSchedule, type SchedulePath } from './schedule-shape.ts';

/** Each one's next fires are worked out for the answer. */
const SCHEDULES_LISTED_MAX = 100;

export function listSchedules(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: path === '/cron' ? 'list-crons' : 'list-schedules',
    method: 'GET',
    path,
    access: 'read',
    summary: 'Lists schedules, newest first',
    note: noteOf(path, 'Each with its next fires.'),
    query: z.object({
      limit: queryInteger({ min: 1, fallback: LIMIT_DEFAULT, clampTo: SCHEDULES_LISTED_MAX }),
      offset: paging.offset,
    }),
    replies: { 200: z.object({ schedules: z.array(scheduleShape) }) },
    async handle({ query, caller }, { schedules }) {
      const { limit, offset } = query;
      const found = await schedules.list({ tenantId: caller.tenantId, limit, offset });
      return { status: 200, body: { schedules: found.map(shapeSchedule) } };
    },
  });
}
