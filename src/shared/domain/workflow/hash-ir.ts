import { createHash } from 'node:crypto';

import { canonicalJson } from '../canonical-json.ts';
import type { JsonObject } from '../json.ts';

/** SHA-256, in hex, of a normalised definition: equal for definitions that say the same in other words. */
export function hashIr(ir: JsonObject): string {
  return createHash('sha256').update(canonicalJson(ir)).digest('hex');
}
