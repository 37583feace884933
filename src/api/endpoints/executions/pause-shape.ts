import { z } from 'zod';

import type { Pause } from '../../../shared/domain/execution/state.ts';
import { EXECUTION_STATUSES } from '../../../shared/domain/execution/status.ts';
import type { PauseAnswer } from '../../../shared/engine/executions/pause-execution.ts';
import { executionId } from '../../schemas/text.ts';

export const pausesShape = z
  .array(
    z.object({
      scope: z.enum(['execution', 'workflow']).meta({
        description: '`workflow`: its workflow was paused, and holds it with all the others.',
      }),
      actor_id: z.string().meta({ description: 'The actor of the pause.' }),
      reason: z.string().nullable(),
    }),
  )
  .meta({ description: 'The pauses of the execution; empty: none.' });

export const pauseReply = z.object({
  execution_id: executionId,
  status: z.enum(EXECUTION_STATUSES),
  pauses: pausesShape,
});

export function shapePauseAnswer(answer: PauseAnswer): z.input<typeof pauseReply> {
  return {
    execution_id: answer.executionId,
    status: answer.status,
    pauses: shapePauses(answer.pauses),
  };
}

export function shapePauses(pauses: readonly Pause[]): z.input<typeof pausesShape> {
  return pauses.map(({ scope, by, reason }) => ({ scope, actor_id: by, reason }));
}
