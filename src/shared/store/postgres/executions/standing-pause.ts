import type { StandingPause } from '../../../domain/workflow/workflow-pause.ts';

/*
 * The present pause of a workflow, read by a statement of the hot path: there are few or none, so
 * it costs a lookup in a table without rows.
 */

export const STANDING_PAUSE_COLUMNS = 'p.paused_by, p.reason as pause_reason, p.paused_at';

/** `alias`: what has `tenant_id` and `workflow_id`. */
export function joinStandingPause(alias: string): string {
  return `left join workflow_pauses p
      on p.tenant_id = ${alias}.tenant_id
      and p.workflow_id = ${alias}.workflow_id
      and p.resumed_at is null`;
}

export interface StandingPauseColumns {
  readonly paused_by: string | null;
  readonly pause_reason: string | null;
  readonly paused_at: string | null;
}

export function standingPauseOf(row: StandingPauseColumns): StandingPause | null {
  const { paused_by: by, pause_reason: reason, paused_at: pausedAt } = row;
  return by === null || pausedAt === null ? null : { by, reason, pausedAt };
}
