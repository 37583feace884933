import type { Actor } from '../caller.ts';
import { parseTenantId } from '../../domain/access.ts';
import { conflict, notFound } from '../../domain/errors.ts';
import { DEFAULT_TENANT, type TenantId } from '../../domain/ids.ts';
import type { Store } from '../../store/store.ts';
import type { ListTenants, TenantChanges, TenantRow } from '../../store/tenants.ts';
import type { EngineDeps } from '../deps.ts';
import { PLACES_TOPIC, tenantTopic } from '../wake/wake-bus.ts';

export async function createTenant(
  deps: EngineDeps,
  { actorId }: Actor,
  { tenantId, name }: { readonly tenantId: TenantId; readonly name: string },
): Promise<TenantRow> {
  const created = await deps.store.tenants.create({ tenantId, name, actorId });
  if (created === null) throw conflict(`tenant ${tenantId} exists`);
  forgetEverywhere(deps, tenantId);
  return created;
}

export async function readTenant(
  deps: { readonly store: Pick<Store, 'tenants'> },
  params: { readonly tenantId: string },
): Promise<TenantRow> {
  const tenantId = parseTenantId(params.tenantId);
  const found = tenantId && (await deps.store.tenants.find(tenantId));
  if (found === null) throw notFound(`tenant ${params.tenantId}`);
  return found;
}

export function listTenants(
  { store }: EngineDeps,
  params: ListTenants,
): Promise<readonly TenantRow[]> {
  return store.tenants.list(params);
}

export function countTenants({ store }: EngineDeps): Promise<number> {
  return store.tenants.count();
}

/** The tenant of the operators must stay active: nobody could activate it again. */
export async function updateTenant(
  deps: EngineDeps,
  { actorId }: Actor,
  params: { readonly tenantId: string; readonly changes: TenantChanges },
): Promise<TenantRow> {
  const { changes } = params;
  const tenantId = parseTenantId(params.tenantId);
  if (tenantId === null) throw notFound(`tenant ${params.tenantId}`);
  if (tenantId === DEFAULT_TENANT && changes.status !== null && changes.status !== 'active') {
    throw conflict(`tenant ${DEFAULT_TENANT} manages the others and stays active`);
  }
  const updated = await deps.store.tenants.update(tenantId, { ...changes, actorId });
  if (updated === null) throw notFound(`tenant ${tenantId}`);
  forgetEverywhere(deps, tenantId);
  // A higher limit has places for executions that wait, and those of an active tenant begin.
  if (changes.limits !== null || changes.status !== null) deps.wake.notify([PLACES_TOPIC]);
  return updated;
}

/** This process forgets the tenant before it answers; a hint reaches the others soon after. */
function forgetEverywhere({ tenants, wake }: EngineDeps, tenantId: TenantId): void {
  tenants.forget(tenantId);
  wake.notify([tenantTopic(tenantId)]);
}
