import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import { withoutPlace } from './check-places.ts';
import type { Dump } from '../dump.ts';
import { deedsOf, success, type Deed, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Tenants are isolated, and none exceeds its limits. */
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
      'objects of other tenants are not found',
      history.deeds.filter((deed) => isForeign(deed, owners)),
      ({ asks, tenantId, answer, begun }) =>
        answer === null || answer.status === 404 || answer.status === 503
          ? null
          : {
              about: { tenant: tenantId, deed: begun, of: subjectOf(asks) ?? '' },
              saw: `${asks.do} was answered ${answer.status}`,
            },
    ),
    ...violations('no answer names another tenant', history.deeds, (deed) => {
      const told = namesIn(deed).filter((tenantId) => tenantId !== deed.tenantId);
      if (told.length === 0) return null;
      return {
        about: { tenant: deed.tenantId, deed: deed.begun },
        saw: `${deed.asks.do} was answered with something of ${[...new Set(told)].join(', ')}`,
      };
    }),
    ...dumps.flatMap((dump) => checkLimits(dump, limits)),
    ...checkListed(history, limits),
  ];
}

/** Clients begin each text that they write with the name of their tenant and a tilde. */
function namesIn({ answer }: Deed): readonly string[] {
  const text = answer === null ? '' : JSON.stringify(answer.body);
  return [...text.matchAll(/([a-z]+)~/g)].map(([, name = '']) => name);
}

function isForeign({ asks, tenantId }: Deed, owners: ReadonlyMap<string, string>): boolean {
  const owner = owners.get(subjectOf(asks) ?? '');
  return owner !== undefined && owner !== tenantId;
}

function subjectOf(asks: Deed['asks']): string | null {
  if ('executionId' in asks) return asks.executionId;
  return 'workItemId' in asks ? asks.workItemId : null;
}

/** A page of a list is one read of the table. */
function checkListed(history: History, limits: Readonly<Record<string, number>>): Violation[] {
  return violations('a list shows no more than the limit', deedsOf(history, 'list'), (deed) => {
    const max = limits[deed.tenantId];
    const rows = success(deed)?.['executions'];
    if (max === undefined || !Array.isArray(rows)) return null;
    const count = rows.filter(
      (row) =>
        isJsonObject(row) &&
        isLive(row['status']) &&
        row['parent_execution_id'] === null &&
        !waitsForTenant(row),
    ).length;
    if (count <= max) return null;
    return {
      about: { tenant: deed.tenantId, deed: deed.begun },
      saw: `${count} executions at a time, at most ${max}`,
    };
  });
}

function waitsForTenant({ waiting_for: wait }: JsonObject): boolean {
  return isJsonObject(wait) && wait['kind'] === 'max_concurrent_executions';
}

function isLive(status: unknown): boolean {
  return status === 'running' || status === 'paused';
}

function checkLimits(dump: Dump, limits: Readonly<Record<string, number>>): Violation[] {
  const apart = withoutPlace(dump);
  const events = byExecution(dump);
  // One that has missed its start deadline leaves the line, and fails without having begun.
  const isOverdue = (id: string): boolean => {
    const story = events.get(id) ?? [];
    return (
      story.some(
        ({ kind, payload }) => kind === 'TimerFired' && payload['purpose'] === 'start_deadline',
      ) && !story.some(({ kind }) => kind === 'NodeScheduled')
    );
  };
  const live = dump.executions.filter(
    ({ id, status }) => isLive(status) && !apart.has(id) && !isOverdue(id),
  );
  return violations('a limit is never exceeded', Object.entries(limits), ([tenant, max]) => {
    const count = live.filter((row) => row.tenant_id === tenant).length;
    if (count <= max) return null;
    return { about: { tenant }, saw: `${count} executions at a time, at most ${max}` };
  });
}
