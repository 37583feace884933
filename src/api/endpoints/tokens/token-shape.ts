import { z } from 'zod';

import { ROLES } from '../../../shared/domain/access.ts';
import type { TokenRow } from '../../../shared/store/store.ts';
import { timestamp } from '../../schemas/text.ts';

export const tokenShape = z.object({
  token_id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  last_used_at: timestamp.nullable().meta({ description: 'To the minute.' }),
  replaced_by: z.string().nullable().meta({ description: 'The token it was rotated to.' }),
  expired: z.boolean(),
});

export function shapeToken(row: TokenRow): z.input<typeof tokenShape> {
  return {
    token_id: row.tokenId,
    tenant_id: row.tenantId,
    name: row.name,
    role: row.role,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
    revoked_at: row.revokedAt,
    last_used_at: row.lastUsedAt,
    replaced_by: row.replacedBy,
    expired: row.expired,
  };
}
