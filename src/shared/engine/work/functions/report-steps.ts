import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import type { EngineDeps } from '../../deps.ts';
import type { StepReport } from '../../report.ts';
import type { Settleable } from '../worker-leases.ts';

/** Reports the steps that a commit has recorded, as far as the worker says when they ran. */
export function reportSteps(
  { report }: Pick<EngineDeps, 'report'>,
  { lease }: Pick<Settleable, 'lease'>,
  events: readonly ExecutionEvent[],
): void {
  if (report.steps === undefined) return;
  const steps = events.flatMap((event) =>
    event.kind === 'StepRecorded' ? event.payload.entries.flatMap(reportOf) : [],
  );
  if (steps.length > 0) report.steps({ ...lease.ticket, steps });
}

function reportOf(entry: JournalEntry): readonly StepReport[] {
  const { identity, kind, attempts = 1, error, usage = null } = entry;
  const { started_at: startedAt, duration_ms: ms } = entry;
  if (startedAt === undefined || ms === undefined) return [];
  const failure =
    error === undefined ? null : { type: error.class ?? 'Error', message: error.message };
  return [{ identity, kind, attempts, startedAt, ms, error: failure, usage }];
}
