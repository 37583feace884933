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
  summary: 'Pauses every version of a workflow',
  note:
    'After the answer, nothing of the workflow begins. `POST /executions`, schedules, ' +
    'parents and retries still create executions, which are held before their first step. A ' +
    'scheduler holds the running executions, hundreds in a transaction: `state` is `pausing` ' +
    'until all are held. Each of them is paused as by `POST /executions/{id}/pause`, with ' +
    'the scope `workflow`; finalizers of ending executions still run. A repeated pause ' +
    'changes nothing, not even the reason; during a resume, it reverses the resume.',
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
  summary: 'Resumes a paused workflow',
  note:
    'New executions run at once. A scheduler releases the held ones, hundreds in a ' +
    'transaction: `state` is `resuming` until all are released, and `pause` is null ' +
    'afterwards. An execution that was also paused separately stays paused until it is ' +
    'resumed. A workflow that is not paused gives the same answer.',
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
