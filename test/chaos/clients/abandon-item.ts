import { RECLAIM_MS_MAX } from '../../invariants/checks/check-rest.ts';
import type { Violation } from '../../invariants/violation.ts';
import type { WorkItem } from '../../support/wire.ts';
import { startOf } from './callers.ts';
import { clientOf, type Stage, type TenantOf } from './stage.ts';
import { claimItems, work } from './workers.ts';

/** A claim also takes time to get the item: one long poll, and a second as reserve. */
const CLAIM_MS_MAX = 3_000;

/** A worker gets an item and vanishes: another worker gets it soon after the lease has expired. */
export async function abandonItem(
  stage: Stage,
  tenant: TenantOf,
  now: () => number,
): Promise<readonly Violation[]> {
  const by = clientOf(tenant, 'abandoner');
  const token = `${tenant.tenantId}~final-abandoned`;
  const started = await stage.service.insist(by, startOf(stage, { workflowId: 'chain', token }));
  const { execution_id: executionId = '' } = (started?.body ?? {}) as { execution_id?: string };

  /** Does all other work well in the meantime. */
  async function claimIt(withinMs: number): Promise<WorkItem | null> {
    const deadline = now() + withinMs;
    while (now() < deadline) {
      const items = await claimItems(stage, by, ['python_tool']);
      const others = items?.filter((item) => item.execution_id !== executionId) ?? [];
      const dice = stage.dice.fork('abandoned');
      await Promise.all(others.map((item) => work(stage, by, { item, manner: 'well', dice })));
      const found = items?.find((item) => item.execution_id === executionId);
      if (found !== undefined) return found;
    }
    return null;
  }

  const violation = (saw: string): readonly Violation[] => [
    {
      rule: 'with everybody well, an abandoned item is handed out again in time',
      about: { tenant: tenant.tenantId, execution: executionId },
      saw,
    },
  ];
  const first = await claimIt(FIRST_MS_MAX);
  if (first === null) return violation(`it was not handed out within ${FIRST_MS_MAX} ms`);
  const dueMs = first.heartbeat_interval_ms * BEATS_PER_LEASE + RECLAIM_MS_MAX + CLAIM_MS_MAX;
  const again = await claimIt(dueMs);
  if (again === null) return violation(`not again within ${dueMs} ms`);
  await work(stage, by, { item: again, manner: 'well', dice: stage.dice.fork('again') });
  return [];
}

const FIRST_MS_MAX = 30_000;
const BEATS_PER_LEASE = 3;
