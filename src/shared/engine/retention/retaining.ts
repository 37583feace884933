import type { RetentionDays } from '../../domain/retention/retention-policy.ts';
import type { Ids } from '../../ports/ids.ts';
import type { EngineReport } from '../report.ts';
import { SCHEDULER_ACTOR } from '../commit/new-event.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import type { Timers } from '../scheduling/timers.ts';
import { collectArtifacts, type ArtifactStores } from './collect-artifacts.ts';
import { tendPartitions } from './partitions.ts';
import { runRetention, type RetentionRun } from './run-retention.ts';

/** The interface for the scheduler's loop that applies the policies. */
export interface Retaining {
  round(params: { readonly signal: AbortSignal }): Promise<RoundResult>;
}

export interface RetentionSettings {
  /** Keys `retention.completed_days` and so on. */
  readonly defaults: RetentionDays;
  /** Key `retention.replay_records_days`; null: with their execution. */
  readonly replayMs: number | null;
  /** Key `retention.unused_artifact_days`; null: forever. */
  readonly unusedArtifactMs: number | null;
  /** Key `retention.archive_dir`; absent: what is removed is kept nowhere. */
  readonly archive?: RetentionRun['archive'];
}

/** The longest round, so that a hanging loop can be detected. */
const ROUND_MS_MAX = 30_000;
const BATCH_MAX = 100;

export function createRetaining(deps: {
  readonly stores: ArtifactStores;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly settings: RetentionSettings;
  readonly report: Pick<EngineReport, 'count'>;
}): Retaining {
  const { stores, ids, timers, settings, report } = deps;
  const store = stores.retention;
  const now = () => timers.now();
  const rest = (ms: number) => new Promise<void>((resolve) => void timers.after(ms, resolve));
  return {
    async round({ signal }) {
      const begun = now();
      const isTimeUp = () => now() - begun > ROUND_MS_MAX;
      const run = {
        tenantId: null,
        olderThanMs: null,
        defaults: settings.defaults,
        actorId: SCHEDULER_ACTOR,
        isOver: () => signal.aborted || isTimeUp(),
      };
      const { executions, events, replayRecords } = await runRetention(
        { store, ids, now, rest },
        {
          ...run,
          workflowId: null,
          status: null,
          batchMax: BATCH_MAX,
          replayMs: settings.replayMs,
          ...(settings.archive !== undefined && { archive: settings.archive }),
        },
      );
      report.count('executions_retired', executions);
      report.count('events_retired', events);
      report.count('replay_records_deleted', replayRecords);
      const { artifacts, bytes } = await collectArtifacts(
        { stores, now, rest },
        { ...run, unusedMs: settings.unusedArtifactMs },
      );
      report.count('artifacts_removed', artifacts);
      report.count('artifact_bytes_removed', bytes);
      const found = executions + replayRecords + artifacts;
      if (isTimeUp()) return { found, more: true };
      const { dropped, shrunk, sweptEvents } = await tendPartitions({ store: stores }, settings);
      report.count('event_partitions_dropped', dropped);
      report.count('event_partitions_shrunk', shrunk);
      return { found: found + dropped + shrunk + sweptEvents, more: false };
    },
  };
}
