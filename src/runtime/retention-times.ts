import type { Config } from '../shared/config/config.ts';
import type { RetentionSettings } from '../shared/engine/retention/retaining.ts';

/** The retention times of the configuration. */
export function retentionTimes({ retention }: Config): Omit<RetentionSettings, 'archive'> {
  const { completedDays, failedDays, cancelledDays } = retention;
  const { replayRecordsDays, unusedArtifactDays } = retention;
  return {
    defaults: { completed: completedDays, failed: failedDays, cancelled: cancelledDays },
    replayMs: unlessZero(replayRecordsDays),
    unusedArtifactMs: unlessZero(unusedArtifactDays),
  };
}

function unlessZero(days: number): number | null {
  return days === 0 ? null : days * DAY_MS;
}

const DAY_MS = 86_400_000;
