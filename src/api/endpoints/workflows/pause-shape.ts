import { z } from 'zod';

import type { ShownPause } from '../../../shared/engine/workflows/pause-workflow.ts';
import { timestamp } from '../../schemas/text.ts';

const PROGRESS = ['pausing', 'paused', 'resuming'] as const;

export const workflowPauseShape = z
  .object({
    state: z.enum(PROGRESS).meta({
      description:
        '`pausing`: nothing new begins, and the pause still takes hold, execution by ' +
        'execution · `paused`: all executions are held · `resuming`: they are being released.',
    }),
    actor_id: z.string().meta({ description: 'The actor of the pause.' }),
    reason: z.string().nullable(),
    paused_at: timestamp,
    resumed_by: z
      .string()
      .nullable()
      .meta({ description: 'Actor of its end; null: it has not ended.' }),
    resumed_at: timestamp.nullable(),
    held: z.int().min(0).meta({ description: 'Executions that it holds now.' }),
    held_is_exact: z.boolean().meta({ description: 'False: it holds more, not counted.' }),
  })
  .nullable()
  .meta({ description: 'The pause of the workflow, in all its versions; null: it is not paused.' });

export function shapeWorkflowPause(pause: ShownPause | null): z.input<typeof workflowPauseShape> {
  if (pause === null) return null;
  return {
    state: pause.progress,
    actor_id: pause.by,
    reason: pause.reason,
    paused_at: pause.pausedAt,
    resumed_by: pause.resumed?.by ?? null,
    resumed_at: pause.resumed?.at ?? null,
    held: pause.held,
    held_is_exact: pause.isExact,
  };
}
