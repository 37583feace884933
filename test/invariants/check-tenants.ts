import type { Dump } from './dump.ts';
import type { Deed, History } from './history.ts';
import { violations, type Violation } from './violation.ts';

/** Tenants never meet, and none has more than it may. */
export function checkTenants(
  dumps: readonly Dump[],
  history: History,
  limits: Readonly<Record<string, number>>,
): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const owners = new Map([
    ...last.executions.map((row) => [row.id, row.tenant_id] as const),
    ...last.work_items.map((row) => [row.work_item_id, row.tenant_id] as const),
  ]);
  return [
    ...violations(
      'what belongs to another tenant is not there',
      history.deeds.filter((deed) => isForeign(deed, owners)),
      ({ asks, tenantId, answer, begun }) =>
        answer === null || answer.status === 404 || answer.status === 503
          ? null
          : {
              about: { tenant: tenantId, deed: begun, of: subjectOf(asks) ?? '' },
              saw: `${asks.do} was answered ${answer.status}`,
            },
    ),
    ...dumps.flatMap((dump) => checkLimits(dump, limits)),
  ];
}

function isForeign({ asks, tenantId }: Deed, owners: ReadonlyMap<string, string>): boolean {
  const owner = owners.get(subjectOf(asks) ?? '');
  return owner !== undefined && owner !== tenantId;
}

function subjectOf(asks: Deed['asks']): string | null {
  if ('executionId' in asks) return asks.executionId;
  return 'workItemId' in asks ? asks.workItemId : null;
}

function checkLimits(dump: Dump, limits: Readonly<Record<string, number>>): Violation[] {
  const live = dump.executions.filter(({ status }) => status === 'running' || status === 'paused');
  return violations('a limit is never exceeded', Object.entries(limits), ([tenant, max]) => {
    const count = live.filter((row) => row.tenant_id === tenant).length;
    if (count <= max) return null;
    return { about: { tenant }, saw: `${count} executions at a time, at most ${max}` };
  });
}
