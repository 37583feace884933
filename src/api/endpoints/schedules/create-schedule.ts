import { putSchedule } from '../../../shared/engine/schedules/put-schedule.ts';
import { z } from 'zod';

import { CATCHUP_WINDOW_SECS_DEFAULT } from '../../../shared/domain/schedules/schedule.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { given, omittable } from '../../schemas/text.ts';
import {
  nameOf,
  noteOf,
  readPaused,
  scheduleName,
  scheduleShape,
  shapeSchedule,
  specFields,
  type SchedulePath,
} from './schedule-shape.ts';

export function createSchedule(path: SchedulePath): Endpoint {
  return defineEndpoint({
    name: nameOf('create', path),
    method: 'POST',
    path,
    access: 'write',
    summary: 'Creates a schedule for a workflow',
    note: noteOf(
      path,
      'Each fire starts one execution, by the actor `schedule:<name>`, also when several ' +
        'schedulers run and when one of them dies. An unknown workflow is a 404, input ' +
        'that violates its state schema a 400; `last_error` reports later failures.\n\n' +
        'If the name is taken, the request replaces the whole schedule, which keeps its id, and the answer is ' +
        '200. The same request again changes no fire time.',
    ),
    body: z
      .strictObject({
        name: scheduleName,
        workflow_id: specFields.workflow_id,
        workflow_version: omittable(specFields.workflow_version).meta({
          description: 'Default: the latest registered version at each fire.',
        }),
        input: omittable(specFields.input),
        cron_expression: omittable(specFields.cron_expression),
        every: omittable(specFields.every),
        timezone: omittable(specFields.timezone),
        overlap_policy: omittable(specFields.overlap_policy),
        catchup_window_secs: omittable(specFields.catchup_window_secs),
        paused: omittable(specFields.paused),
        enabled: omittable(specFields.enabled),
      })
      .meta({ oneOf: [given('cron_expression'), given('every')] }),
    replies: { 200: scheduleShape, 201: scheduleShape },
    errors: [404, 409],
    async handle({ body, caller }, { engine }) {
      const { schedule, isNew } = await putSchedule(engine, caller, {
        name: body.name,
        spec: {
          workflowId: body.workflow_id,
          workflowVersion: body.workflow_version,
          input: body.input ?? {},
          cronExpression: body.cron_expression,
          every: body.every,
          timezone: body.timezone ?? 'UTC',
          overlapPolicy: body.overlap_policy ?? 'skip',
          catchupWindowSecs: body.catchup_window_secs ?? CATCHUP_WINDOW_SECS_DEFAULT,
          paused: readPaused(body) ?? false,
        },
      });
      const shown = shapeSchedule(schedule);
      return isNew ? { status: 201, body: shown } : { status: 200, body: shown };
    },
  });
}
