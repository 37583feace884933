import { readQuota } from '../../../src/shared/domain/work/quota.ts';
import type { Dump } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** Leases count until they are taken back: a worker that is late may still work. */
export function checkQuotas(dumps: readonly Dump[]): Violation[] {
  return dumps.flatMap(checkLeases);
}

const NONE = { tool: '', key: null, limit: null };

function checkLeases(dump: Dump): Violation[] {
  const quotas = new Map(
    dump.work_items.flatMap(({ work_item_id: id, tenant_id: tenant, queue_name: name }) => {
      const quota = readQuota(name ?? '');
      const { tool, key, limit } = quota ?? NONE;
      if (limit === null) return [];
      return [[id, { name: JSON.stringify([tenant, tool, key]), limit }] as const];
    }),
  );
  const held = Map.groupBy(
    dump.work_leases.flatMap(({ work_item_id: id }) => quotas.get(id) ?? []),
    ({ name }) => name,
  );
  return violations(
    'no more items of a quota are leased than its limit',
    held,
    ([quota, leased]) => {
      const limit = Math.max(...leased.map((one) => one.limit));
      return leased.length <= limit
        ? null
        : { about: { quota }, saw: `${leased.length} leases, and a limit of ${limit}` };
    },
  );
}
