import type { SideWork } from '../../src/runtime/compose-scheduler.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';

/** What a scheduler does beside the executions; what a history is not about rests, to save time. */
export interface Sides {
  readonly schedules: boolean;
  readonly webhooks: boolean;
  readonly sealing: boolean;
  /** How long executions are kept, by the configuration; null: nothing is ever removed. */
  readonly keptDays: KeptDays | null;
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
