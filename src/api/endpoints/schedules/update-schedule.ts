import { updateSchedule as update } from '../../../shared/engine/schedules/update-schedule.ts';
import { z } from 'zod';

import type { ScheduleSpec } from '../../../shared/domain/schedules/schedule.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { omittable, readOnly } from '../../schemas/text.ts';
import {
  nameOf,
  noteOf,
  readPaused,
  scheduleParam,
  scheduleShape,
  shapeSchedule,
  specFields,
  type SchedulePath,
} from './schedule-shape.ts';

const body = z.strictObject({
  name: omittable(z.string()).meta({ description: 'A schedule keeps its name.' }),
  workflow_id: omittable(specFields.workflow_id),
  workflow_version: specFields.workflow_version.nullish().meta({
    description: 'Null: the latest registered version at each fire.',
  }),
  input: omittable(specFields.input),
  cron_expression: omittable(specFields.cron_expression),
  every: omittable(specFields.every),
  timezone: omittable(specFields.timezone),
  overlap_policy: omittable(specFields.overlap_policy),
  catchup_window_secs: omittable(specFields.catchup_window_secs),
  paused: omittable(specFields.paused),
  enabled: omittable(specFields.enabled),
  schedule_id: readOnly,
  next_run_at: readOnly,
  next_fires: readOnly,
  waiting_fire_at: readOnly,
  last_fire_at: readOnly,
  last_execution_id: readOnly,
  last_error: readOnly,
  fires: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
  revision: omittable(z.int().min(1)).meta({
    description: 'Refuses the change with 409 if the schedule has another revision.',
  }),
});

export function updateSchedule(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: nameOf('update', path),
    method: 'PUT',
    path: `${path}/:id`,
    access: 'write',
    summary: 'Changes, pauses or resumes a schedule',
    note: noteOf(
      path,
      'Absent fields keep their values; `cron_expression` replaces `every`, and the reverse. ' +
        'With `revision` the change is refused if somebody else has changed the schedule since. ' +
        'A new timing and the end of a pause count from now: earlier pending fires, and fires ' +
        'during the pause, do not fire.',
    ),
    params: scheduleParam,
    body,
    replies: { 200: scheduleShape },
    errors: [404, 409],
    async handle(request, { engine }) {
      const { params, caller } = request;
      const updated = await update(engine, caller, {
        schedule: params.id,
        changes: changesIn(request.body),
        ifRevision: request.body.revision,
        name: request.body.name,
      });
      return { status: 200, body: shapeSchedule(updated) };
    },
  });
}

function changesIn(given: z.output<typeof body>): Partial<ScheduleSpec> {
  const { workflow_version: workflowVersion } = given;
  const named: { readonly [Key in keyof ScheduleSpec]?: ScheduleSpec[Key] | null } = {
    workflowId: given.workflow_id,
    input: given.input,
    cronExpression: given.cron_expression,
    every: given.every,
    timezone: given.timezone,
    overlapPolicy: given.overlap_policy,
    catchupWindowSecs: given.catchup_window_secs,
    paused: readPaused(given),
  };
  const changes = Object.entries(named).filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(changes) as Partial<ScheduleSpec>),
    ...(workflowVersion !== undefined && { workflowVersion }),
  };
}
