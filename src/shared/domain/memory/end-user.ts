import { hashJson } from '../canonical-json.ts';
import type { TenantId } from '../ids.ts';

/**
 * The trace of a forgotten end user in the audit log, which cannot be altered: enough to answer
 * whether a known user was forgotten, not enough to identify the user.
 */
export function hashEndUser(tenantId: TenantId, endUserId: string): string {
  return hashJson({ tenant_id: tenantId, end_user_id: endUserId });
}
