import type { Expression } from '../../expression/expression.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import { pathsInExpression } from '../lint/paths-in-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type Findings, pointerTo, reportUnknown } from '../problem.ts';

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
  reportUnknown(raw, known, (at, message) => problems.add(pointerTo(field) + at, message));
  return raw;
}

/** The expression of a key over the input. Undefined: reported. */
export function parseFlowKey(
  value: JsonValue,
  field: string,
  findings: Findings,
): Expression | null | undefined {
  if (value === null) return null;
  const at = pointerTo(field, 'key');
  if (typeof value === 'string') return readExpression(value, at, findings) ?? undefined;
  findings.problems.add(at, 'must be an expression over the input');
  return undefined;
}

/** Null: what is wrong has been reported. */
export function readExpression(
  text: string,
  at: string,
  { problems, warnings }: Findings,
): Expression | null {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    problems.add(at, parsed.message);
    return null;
  }
  const { expression } = parsed;
  const unseen = pathsInExpression(expression).find(({ variable }) => UNSEEN.has(variable));
  if (unseen !== undefined) {
    const { variable } = unseen;
    warnings.add('unknown_state_path', at, `reads ${variable}, which is empty here: read input`);
  }
  return expression;
}

/** Nothing of them exists before an execution has begun. */
const UNSEEN: ReadonlySet<string> = new Set(['output', 'execution']);
