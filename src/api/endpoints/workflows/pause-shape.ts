import { z } from 'zod';

import type { ShownPause } from '../../../shared/engine/workflows/pause-workflow.ts';
import { timestamp } from '../../schemas/text.ts';

const PROGRESS = ['pausing', 'paused', 'resuming'] as const;

export const workflowPauseShape = z
  .object({
    state: z.enum(PROGRESS).meta({
      description:
        '`pausing`: nothing new begins, and what is under way is still being held, execution by ' +
        'execution · `paused`: all of it is held · `resuming`: it is being given back.',
    }),
    actor_id: z.string().meta({ description: 'The actor of the pause.' }),
    reason: z.string().nullable(),
    paused_at: timestamp,
    resumed_by: z.string().nullable().meta({ description: 'Who ended it; null: it stands.' }),
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
