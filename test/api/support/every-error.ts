import type { JsonObject } from '../../../src/shared/domain/json.ts';

export const ALL_METHODS = ['PATCH', 'DELETE', 'PUT', 'POST', 'GET'] as const;

/** A body that must be a JSON object. */
export function bodyOf(text: string, what: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new Error(`${what}, which is no JSON`, { cause: error });
  }
}
