import { z } from 'zod';

import type { ShownPause } from '../../../shared/engine/workflows/pause-workflow.ts';
import type { DefinitionRow } from '../../../shared/store/store.ts';
import { timestamp } from '../../schemas/text.ts';
import { shapeWorkflowPause, workflowPauseShape } from './pause-shape.ts';

export const workflowShape = z.object({
  workflow_id: z.string(),
  version: z.string(),
  revision: z.int().min(1),
  ir_hash: z.string(),
  created_at: timestamp,
  pause: workflowPauseShape,
});

export function shapeWorkflow(
  row: DefinitionRow,
  pauses: ReadonlyMap<string, ShownPause>,
): z.input<typeof workflowShape> {
  return {
    workflow_id: row.workflowId,
    version: row.version,
    revision: row.revision,
    ir_hash: row.irHash,
    created_at: row.createdAt,
    pause: shapeWorkflowPause(pauses.get(row.workflowId) ?? null),
  };
}
