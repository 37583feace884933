import type { SideWork } from '../../src/runtime/compose-scheduler.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';

/**
 * The work of a scheduler besides executions. A history turns off the kinds that it doesn't test,
 * to save time.
 */
export interface Sides {
  readonly schedules: boolean;
  readonly webhooks: boolean;
  readonly sealing: boolean;
  /** How long executions are kept by the configuration; null: retention is off. */
  readonly keptDays: KeptDays | null;
  /** Whether retention archives executions before it removes them. */
  readonly archives: boolean;
}

export function restingOf(sides: Sides): readonly SideWork[] {
  return [
    'agents',
    'clusterWatch',
    ...(sides.keptDays === null ? (['retaining'] as const) : []),
    ...(sides.sealing ? [] : (['auditSealing'] as const)),
    ...(sides.webhooks ? [] : (['webhookDelivering'] as const)),
    ...(sides.schedules ? [] : (['scheduleFiring'] as const)),
  ];
}
