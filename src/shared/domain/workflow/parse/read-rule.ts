import { isJsonObject, type JsonObject } from '../../json.ts';
import { type Findings, pointerTo } from '../problem.ts';

/** A member of the definition that is an object. Null: there is none, or what is wrong has been reported. */
export function readRule(
  ir: JsonObject,
  of: {
    readonly field: string;
    /** Its required members, for the report of a value that is no object. */
    readonly required: string;
    readonly known: ReadonlySet<string>;
  },
  { problems }: Findings,
): JsonObject | null {
  const { field, required, known } = of;
  const raw = ir[field] ?? null;
  if (raw === null) return null;
  if (!isJsonObject(raw)) {
    problems.add(pointerTo(field), `must be an object with ${required}`);
    return null;
  }
  for (const name of Object.keys(raw)) {
    if (!known.has(name)) problems.add(pointerTo(field, name), 'is not known');
  }
  return raw;
}
