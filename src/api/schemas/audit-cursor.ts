import { z } from 'zod';

import { parseExecutionId } from '../../shared/domain/ids.ts';
import type { AuditPlace } from '../../shared/store/audit.ts';
import { columnsText, encodePosition, isTimestamp } from './position.ts';

/** The cursor of a list that the audit log orders. */
export const auditCursor = columnsText((columns): AuditPlace | null => {
  const place = z.tuple([z.string(), z.string(), z.int()]).safeParse(columns);
  if (!place.success) return null;
  const [createdAt, key, sequence] = place.data;
  const isKey = parseExecutionId(key) !== null || z.uuid().safeParse(key).success;
  return isKey && isTimestamp(createdAt) ? { createdAt, key, sequence } : null;
});

export function cursorOfPlace({ createdAt, key, sequence }: AuditPlace): string {
  return encodePosition([createdAt, key, sequence]);
}
