import { readSchedule as read } from '../../../shared/engine/schedules/read-schedule.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import {
  nameOf,
  noteOf,
  scheduleParam,
  scheduleShape,
  shapeSchedule,
  type SchedulePath,
} from './schedule-shape.ts';

export function readSchedule(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: nameOf('read', path),
    method: 'GET',
    path: `${path}/:id`,
    access: 'read',
    summary: 'Reads a schedule, with its next fires',
    note: noteOf(path, 'By its id or by its name.'),
    params: scheduleParam,
    replies: { 200: scheduleShape },
    errors: [404],
    async handle({ params, caller }, { engine }) {
      const found = await read(engine, caller, { schedule: params.id });
      return { status: 200, body: shapeSchedule(found) };
    },
  });
}
