import type { JsonObject } from '../domain/json.ts';
import { pointerTo } from '../domain/workflow/problem.ts';
import type { ParseContext } from '../domain/workflow/plan/plan.ts';

/** False when it is left out, or no flag, which is reported. */
export function readFlag(fields: JsonObject, name: string, at: ParseContext): boolean {
  const value = fields[name] ?? false;
  if (typeof value === 'boolean') return value;
  at.problem(pointerTo(name), 'must be true or false');
  return false;
}
