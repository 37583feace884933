import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { Store } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
import type { Timers } from '../scheduling/timers.ts';
import type { SystemFacts } from '../system/system-facts.ts';
import { previewRetention, type RetentionPreview } from './preview-retention.ts';
import type { ScanBudget } from './scan-due.ts';

export interface PolicyPreview extends Pick<RetentionPreview, 'groups' | 'released'> {
  /** False: there are more executions than one request looks through, so all numbers are less. */
  readonly isComplete: boolean;
}

/** Counts the tenant's executions that retention would remove now, by its policies or by a considered one. */
export async function previewPolicy(
  deps: {
    readonly store: Pick<Store, 'retention' | 'unusedArtifacts'>;
    readonly system: Pick<SystemFacts, 'retentionDefaults'>;
    readonly timers: Pick<Timers, 'now'>;
  },
  { tenantId }: Reader,
  params: {
    readonly workflowId: string | null;
    readonly status: TerminalStatus | null;
    /** In place of every policy; null: as the policies say. */
    readonly olderThanDays: number | null;
    readonly searchMs: number;
  },
): Promise<PolicyPreview> {
  const { workflowId, status, olderThanDays, searchMs } = params;
  const { now } = deps.timers;
  const endsAt = now() + searchMs;
  const budget: ScanBudget = {
    left: SCANS_MAX,
    atATime: SCANNED_AT_A_TIME,
    hasTime: () => now() < endsAt,
    isOver: false,
  };
  const request = {
    tenantId,
    workflowId,
    status,
    olderThanMs: olderThanDays === null ? null : olderThanDays * DAY_MS,
    defaults: deps.system.retentionDefaults,
  };
  const { groups, released } = await previewRetention(deps.store, request, budget);
  return { groups, released, isComplete: !budget.isOver };
}

/** An execution that is due costs ten times as much as one that is not: its surroundings are read. */
const SCANNED_AT_A_TIME = 100;
const SCANS_MAX = 200;
const DAY_MS = 86_400_000;
