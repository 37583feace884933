import { badRequest, notFound } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { RetentionPolicy } from '../../domain/retention/retention-policy.ts';
import type { Store } from '../../store/store.ts';
import type { Caller, Reader } from '../caller.ts';
import { allPolicies } from './all-policies.ts';

interface Deps {
  readonly store: Pick<Store, 'retention'>;
}

/** All policies of the tenant. Null: those of all tenants, for the operator of the service. */
export async function listAllPolicies(
  { store }: Deps,
  { tenantId }: { readonly tenantId: TenantId | null },
): Promise<readonly RetentionPolicy[]> {
  const policies: RetentionPolicy[] = [];
  for await (const policy of allPolicies(store.retention, tenantId)) policies.push(policy);
  return policies;
}

export function listRetentionPolicies(
  { store }: Deps,
  { tenantId }: Reader,
  page: { readonly after: string | null; readonly limit: number; readonly offset: number },
): Promise<readonly RetentionPolicy[]> {
  return store.retention.listPolicies({ ...page, tenantId });
}

/** Replaces the policy of the workflow, or of the tenant. Throws 400 for one that says nothing. */
export async function setRetentionPolicy(
  { store }: Deps,
  { tenantId, actorId }: Caller,
  { workflowId, days }: Omit<RetentionPolicy, 'tenantId'>,
): Promise<void> {
  if (Object.values(days).every((each) => each === null)) {
    throw badRequest('one of completed_days, failed_days and cancelled_days is needed');
  }
  await store.retention.setPolicy({ tenantId, workflowId, days, actorId });
}

/** Throws 404 where there is no such policy. */
export async function removeRetentionPolicy(
  { store }: Deps,
  { tenantId, actorId }: Caller,
  { workflowId }: Pick<RetentionPolicy, 'workflowId'>,
): Promise<void> {
  if (await store.retention.removePolicy({ tenantId, workflowId, actorId })) return;
  throw notFound(
    workflowId === null ? 'retention policy' : `retention policy of workflow ${workflowId}`,
  );
}
