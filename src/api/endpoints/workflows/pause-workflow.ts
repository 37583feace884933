import {
  pauseWorkflow as pause,
  resumeWorkflow as resume,
} from '../../../shared/engine/workflows/pause-workflow.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { reasonBody } from '../../schemas/reason.ts';
import { shapeWorkflowPause, workflowPauseShape } from './pause-shape.ts';

const reply = z.object({ workflow_id: z.string(), pause: workflowPauseShape });

export const pauseWorkflow = defineEndpoint({
  name: 'pause-workflow',
  method: 'POST',
  path: '/workflows/:id/pause',
  access: 'write',
  summary: 'Pauses a workflow, in all its versions: nothing of it goes on until it is resumed',
  note:
    'From the answer on nothing of it begins: executions are taken as ever, by `POST /executions`, ' +
    'schedules, parents and retries, and are held before their first step. Executions under way are ' +
    'held by a scheduler, those that run first, hundreds in a transaction: `state` is `pausing` until ' +
    'all are. Each of them is paused as by `POST /executions/{id}/pause`, with the scope `workflow`; ' +
    'finalizers of executions that are ending run all the same. Pausing it again changes nothing, the ' +
    'reason neither; while it is being resumed, it takes the resumption back.',
  params: idParam('Workflow id.'),
  body: reasonBody,
  bodyMayBeAbsent: true,
  replies: { 200: reply },
  errors: [404],
  async handle({ params, body, caller }, { engine }) {
    const paused = await pause(engine, caller, {
      workflowId: params.id,
      reason: body.reason,
    });
    return { status: 200, body: { workflow_id: params.id, pause: shapeWorkflowPause(paused) } };
  },
});

export const resumeWorkflow = defineEndpoint({
  name: 'resume-workflow',
  method: 'POST',
  path: '/workflows/:id/resume',
  access: 'write',
  summary: 'Lets a workflow go on that was paused',
  note:
    'What begins from now on runs at once. What its pause holds is given back by a scheduler, hundreds ' +
    'in a transaction: `state` is `resuming` until all of it is, and `pause` is null afterwards. An ' +
    'execution that was paused by itself as well stays paused until it is resumed too. A workflow that ' +
    'is not paused gives the same answer.',
  params: idParam('Workflow id.'),
  replies: { 200: reply },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const pause = await resume(engine, caller, {
      workflowId: params.id,
    });
    return { status: 200, body: { workflow_id: params.id, pause: shapeWorkflowPause(pause) } };
  },
});
