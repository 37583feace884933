import { type CommitPlan, leasesToWorkers } from '../../commit.ts';
import type { Parameters } from './statement.ts';

/*
 * Items that a commit leases to workers, of a tenant that is not active. Another process may have
 * suspended it, and the one that commits learns of that late. Claims from the queue check it as well.
 */

/** JSON of the tenants among them that are not active, as of the beginning of the statement. */
export function unservedTenants($: Parameters): string {
  return `(
      select json_agg(n.id)
      from tenants n
      where n.id = any(${$.array('offers', 'tenant_id')})
        and n.status <> 'active'
    )`;
}

/** The part of an accepted plan's verdict. */
export function unservedIn(
  json: string | null,
): (plan: CommitPlan) => { readonly isUnserved?: true } {
  if (json === null) return () => SERVED;
  const tenants = new Set(JSON.parse(json) as readonly string[]);
  return (plan) =>
    tenants.has(plan.tenantId) && leasesToWorkers(plan) ? { isUnserved: true } : SERVED;
}

const SERVED = {};
