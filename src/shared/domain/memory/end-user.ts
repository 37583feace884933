import { hashJson } from '../canonical-json.ts';
import type { TenantId } from '../ids.ts';

/**
 * What the audit log, which cannot be altered, keeps of an end user who was forgotten: enough to
 * answer whether a known one was, not enough to tell who it was.
 */
export function hashEndUser(tenantId: TenantId, endUserId: string): string {
  return hashJson({ tenant_id: tenantId, end_user_id: endUserId });
}
