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
  summary: 'Pauses an execution: nothing follows from what happens until it is resumed',
  note:
    'Nothing of it is scheduled or handed out any more; what waits for a worker or a retry is held. ' +
    'Work that is out may be settled, approvals are decided and events taken, and timers fire: all of ' +
    'that is recorded and takes effect when it is resumed. Time limits run on. Its children are ' +
    'executions of their own and go on; so does nothing that waits for their end. A cancel ends it all ' +
    'the same. Pausing it again changes nothing, the reason neither; one that has ended gives 400.',
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
  summary: 'Lets an execution go on that was paused',
  note:
    'What was recorded meanwhile takes effect, and what was held goes back to its queue. One that waits ' +
    'for a person or an event is `paused` afterwards too: `pauses` is empty then, and nothing but that ' +
    'holds it. One that is not paused gives the same answer; one that has ended gives 400.',
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
