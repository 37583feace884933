import type { JsonObject, JsonValue } from '../../../shared/domain/json.ts';
import { pointerTo } from '../../../shared/domain/workflow/problem.ts';

/** Where a pattern stands in a schema, as pointers; at the root when it is found nowhere. */
export function findPatterns(schema: JsonObject, source: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: JsonValue, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries<JsonValue>(value)) {
      const at = [...path, key];
      const isPattern = key === 'pattern' && member === source;
      if (isPattern || (key === source && path.at(-1) === 'patternProperties')) {
        found.push(pointerTo(...at));
      }
      visit(member, at);
    }
  };
  visit(schema, []);
  return found.length > 0 ? found : ['/'];
}
