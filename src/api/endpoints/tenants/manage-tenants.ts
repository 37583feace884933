import { managesTenants } from '../../../shared/domain/access.ts';
import { SvcError } from '../../../shared/domain/errors.ts';
import { DEFAULT_TENANT } from '../../../shared/domain/ids.ts';
import type { Caller } from '../../endpoint.ts';

/** 403 for operators of other tenants: a tenant that set its own limits would have none. */
export function refuseOthers(caller: Caller): void {
  if (managesTenants(caller.identity)) return;
  throw new SvcError('forbidden', `operator of tenant ${DEFAULT_TENANT}`);
}

/** Whether the caller may know that such a tenant exists. */
export function maySee(caller: Caller, tenantId: string): boolean {
  return managesTenants(caller.identity) || caller.identity.tenantId === tenantId;
}
