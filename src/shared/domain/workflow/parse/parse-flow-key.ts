import type { Expression } from '../../expression/expression.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import type { JsonValue } from '../../json.ts';
import { type Findings, pointerTo } from '../problem.ts';

/** The expression of a key over the input. Undefined: reported. */
export function parseFlowKey(
  value: JsonValue,
  field: string,
  { problems }: Findings,
): Expression | null | undefined {
  if (value === null) return null;
  const at = pointerTo(field, 'key');
  if (typeof value !== 'string') {
    problems.add(at, 'must be an expression over the input');
    return undefined;
  }
  const parsed = parseExpression(value);
  if (parsed.ok) return parsed.expression;
  problems.add(at, parsed.message);
  return undefined;
}
