import { useChosenTenant } from '../api/chosen-tenant.ts';
import { useSession } from './session.tsx';

/** The tenant on screen. */
export function useTenantId(): string {
  const { who } = useSession();
  return useChosenTenant() ?? who.tenant_id ?? 'default';
}
