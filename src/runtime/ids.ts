import { randomBytes } from 'node:crypto';

import { createIds } from '../shared/clients/system-ids.ts';

/** The process's one source of identifiers: each is greater than the one before it. */
export const ids = createIds({ now: Date.now, randomBytes });
