import { z } from 'zod';

import { SCHEDULES_MAX } from '../../../shared/engine/schedules/put-schedule.ts';
import { listSchedules as list } from '../../../shared/engine/schedules/read-schedule.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { paging, queryInteger } from '../../schemas/query.ts';
import { noteOf, scheduleShape, shapeSchedule, type SchedulePath } from './schedule-shape.ts';

export function listSchedules(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: path === '/cron' ? 'list-crons' : 'list-schedules',
    method: 'GET',
    path,
    access: 'read',
    summary: 'Lists schedules, newest first',
    note: noteOf(path, 'Each with its next fires; all of them where no `limit` is given.'),
    query: z.object({
      limit: queryInteger({ min: 1, fallback: SCHEDULES_MAX, clampTo: SCHEDULES_MAX }),
      offset: paging.offset,
    }),
    replies: { 200: z.object({ schedules: z.array(scheduleShape) }) },
    async handle({ query, caller }, { engine }) {
      const found = await list(engine, caller, query);
      return { status: 200, body: { schedules: found.map(shapeSchedule) } };
    },
  });
}
