import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { Store } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
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
  },
  { tenantId }: Reader,
  params: {
    readonly workflowId: string | null;
    readonly status: TerminalStatus | null;
    /** In place of every policy; null: as the policies say. */
    readonly olderThanDays: number | null;
    readonly scansMax?: number;
  },
): Promise<PolicyPreview> {
  const { workflowId, status, olderThanDays, scansMax = SCANS_MAX } = params;
  const budget: ScanBudget = { left: scansMax, isOver: false };
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

const SCANS_MAX = 20;
const DAY_MS = 86_400_000;
