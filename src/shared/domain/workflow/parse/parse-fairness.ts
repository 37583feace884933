import { parseExpression } from '../../expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type Fairness, isWeight, WEIGHT_RULE } from '../flow/fairness.ts';
import { type Findings, pointerTo } from '../problem.ts';
import { parseFlowKey } from './parse-flow-key.ts';

const FIELD = 'fairness';
const KNOWN = new Set(['key', 'weight']);

/** Null: there is none, or what is wrong has been reported. */
export function parseFairness(ir: JsonObject, findings: Findings): Fairness | null {
  const { problems } = findings;
  const raw = ir[FIELD] ?? null;
  if (raw === null) return null;
  if (!isJsonObject(raw)) {
    problems.add(pointerTo(FIELD), 'must be an object with key');
    return null;
  }
  for (const name of Object.keys(raw)) {
    if (!KNOWN.has(name)) problems.add(pointerTo(FIELD, name), 'is not known');
  }
  const key = parseFlowKey(raw['key'] ?? null, FIELD, findings);
  if (key === null) problems.add(pointerTo(FIELD, 'key'), 'must be an expression over the input');
  const weight = parseWeight(raw['weight'] ?? 1, findings);
  return key === null || key === undefined || weight === null ? null : { key, weight };
}

function parseWeight(value: JsonValue, { problems }: Findings): Fairness['weight'] | null {
  const at = pointerTo(FIELD, 'weight');
  if (typeof value === 'number' && isWeight(value)) return value;
  if (typeof value !== 'string') {
    problems.add(at, `${WEIGHT_RULE}, or an expression over the input`);
    return null;
  }
  const parsed = parseExpression(value);
  if (parsed.ok) return parsed.expression;
  problems.add(at, parsed.message);
  return null;
}
