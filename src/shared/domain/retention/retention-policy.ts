import { TERMINAL_STATUSES, type TerminalStatus } from '../execution/status.ts';
import type { TenantId } from '../ids.ts';

/**
 * Days that an execution is kept after its end, by how it ended. 0: forever. Null: as the less
 * specific policy says: that of a workflow, then of its tenant, then of the installation.
 */
export type RetentionDays = Readonly<Record<TerminalStatus, number | null>>;

export interface RetentionPolicy {
  readonly tenantId: TenantId;
  /** Null: all workflows of the tenant that do not say otherwise. */
  readonly workflowId: string | null;
  readonly days: RetentionDays;
}

export const RETENTION_DAYS_MAX = 36_500;

/** How soon after an end these would have anything removed; null: nothing ever is. */
export function shortestDays(all: readonly RetentionDays[]): number | null {
  const days = all
    .flatMap((each) => TERMINAL_STATUSES.map((status) => each[status] ?? 0))
    .filter((count) => count > 0);
  return days.length === 0 ? null : Math.min(...days);
}
