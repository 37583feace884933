import {
  pauseExecution as pause,
  resumeExecution as resume,
} from '../../../shared/engine/executions/pause-execution.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { reasonBody } from '../../schemas/reason.ts';
import { pauseReply, shapePauseAnswer } from './pause-shape.ts';

export const pauseExecution = defineEndpoint({
  name: 'pause-execution',
  method: 'POST',
  path: '/executions/:id/pause',
  access: 'write',
  summary: 'Pauses an execution',
  note:
    'From then on nothing of it is scheduled or handed out; work that waits for a worker or ' +
    'a retry is held. Workers may settle leased work, approvals are decided, events are ' +
    'accepted, and timers fire: all of that is recorded and takes effect on resume. Time ' +
    'limits keep running. Its children continue as separate executions, but nodes that wait ' +
    'for their end do not. A cancel still ends it. A repeated pause changes nothing, not ' +
    'even the reason; an ended execution gives 400.',
  params: executionParam,
  body: reasonBody,
  bodyMayBeAbsent: true,
  replies: { 200: pauseReply },
  errors: [400, 404],
  async handle({ params, body, caller }, { engine }) {
    const answer = await pause(engine, caller, {
      executionId: params.id,
      reason: body.reason,
    });
    return { status: 200, body: shapePauseAnswer(answer) };
  },
});

export const resumeExecution = defineEndpoint({
  name: 'resume-execution',
  method: 'POST',
  path: '/executions/:id/resume',
  access: 'write',
  summary: 'Resumes a paused execution',
  note:
    'Events recorded meanwhile take effect, and held work returns to its queue. An execution ' +
    'that waits for a person or an event is still `paused` afterwards, with empty `pauses`. ' +
    'One that is not paused gives the same answer; an ended one gives 400.',
  params: executionParam,
  replies: { 200: pauseReply },
  errors: [400, 404],
  async handle({ params, caller }, { engine }) {
    const answer = await resume(engine, caller, {
      executionId: params.id,
    });
    return { status: 200, body: shapePauseAnswer(answer) };
  },
});
