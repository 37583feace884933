import { deleteSchedule as remove } from '../../../shared/engine/schedules/delete-schedule.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import {
  nameOf,
  noteOf,
  scheduleParam,
  scheduleShape,
  shapeSchedule,
  type SchedulePath,
} from './schedule-shape.ts';

export function deleteSchedule(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: nameOf('delete', path),
    method: 'DELETE',
    path: `${path}/:id`,
    access: 'write',
    summary: 'Deletes a schedule',
    note: noteOf(path, 'Started executions continue. A fire that is starting may still start.'),
    params: scheduleParam,
    replies: { 200: scheduleShape },
    errors: [404],
    async handle({ params, caller }, { engine }) {
      const removed = await remove(engine, caller, { schedule: params.id });
      return { status: 200, body: shapeSchedule(removed) };
    },
  });
}
