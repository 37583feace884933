import { evaluateMapping, type Mapping } from '../domain/expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';

/** A row of a data set, and the line, from 1, that it begins on. */
export type Row =
  | { readonly line: number; readonly ok: true; readonly value: JsonObject }
  | { readonly line: number; readonly ok: false; readonly problem: string };

export type DatasetFormat = 'jsonl' | 'csv';

/** One run with its judgement. */
export interface EvalCase {
  /** Unique in its data set: what two runs are compared by. */
  readonly id: string;
  readonly line: number;
  readonly input: JsonObject;
  /** Null: nothing particular is expected. */
  readonly expected: JsonValue;
  /** The output to judge where nothing is run; else null. */
  readonly output: JsonValue;
}

/** How a row becomes a case. Null: see `makeCase`. */
export interface CaseMappings {
  readonly id: Mapping | null;
  readonly input: Mapping | null;
  readonly expected: Mapping | null;
  readonly output: Mapping | null;
}

export type MadeCase =
  | { readonly ok: true; readonly case: EvalCase }
  | { readonly ok: false; readonly line: number; readonly problem: string };

/** Columns with a meaning of their own. */
const OWN_COLUMNS: readonly string[] = ['id', 'expected', 'output'];

/**
 * Mappings see the row as `input`, and as the state, so that `$.column` is a path into it. Without
 * a mapping the id is the column `id`, else the number of the row; the input is the column `input`
 * when that is an object, else all columns but `id`, `expected` and `output`.
 */
export function makeCase(row: Row, number: number, mappings: CaseMappings): MadeCase {
  const { line } = row;
  if (!row.ok) return { ok: false, line, problem: row.problem };
  const { value } = row;
  const scope = { state: value, output: null, input: value, execution: {} };
  const read: Record<keyof CaseMappings, JsonValue> = {
    id: value['id'] ?? number,
    input: isJsonObject(value['input']) ? value['input'] : restOf(value),
    expected: value['expected'] ?? null,
    output: value['output'] ?? null,
  };
  for (const name of ['id', 'input', 'expected', 'output'] as const) {
    const mapping = mappings[name];
    if (mapping === null) continue;
    const result = evaluateMapping(mapping, scope);
    if (!result.ok) return { ok: false, line, problem: `${name}: ${result.message}` };
    read[name] = result.value;
  }
  const { id, input, expected, output } = read;
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
    return { ok: false, line, problem: 'the id is neither text nor a number' };
  }
  if (!isJsonObject(input)) return { ok: false, line, problem: 'the input is not an object' };
  return { ok: true, case: { id: String(id), line, input, expected, output } };
}

function restOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !OWN_COLUMNS.includes(name)));
}
