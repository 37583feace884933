import { randomBytes } from 'node:crypto';

import { createIds } from '../../clients/system-ids.ts';

const ids = createIds({ now: Date.now, randomBytes });

/** The id of a managing request in the audit log, a UUIDv7. */
export function newAuditId(): string {
  return ids.uuid();
}
