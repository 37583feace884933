import { hashJson } from '../canonical-json.ts';
import type { JsonObject } from '../json.ts';

/** SHA-256, in hex, of a normalised definition: equal for definitions that say the same in other words. */
export function hashIr(ir: JsonObject): string {
  return hashJson(ir);
}
