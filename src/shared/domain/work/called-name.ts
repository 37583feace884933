import type { JsonObject } from '../json.ts';

/** `module.function` that a worker calls for an item; null: the payload names none. */
export function calledName({ module, function: name }: JsonObject): string | null {
  return typeof module === 'string' && typeof name === 'string' ? `${module}.${name}` : null;
}
