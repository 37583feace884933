import type { JsonObject, JsonValue } from '../../json.ts';
import { type Fairness, isWeight, WEIGHT_RULE } from '../flow/fairness.ts';
import { type Findings, pointerTo } from '../problem.ts';
import { parseFlowKey, readExpression, readRule } from './parse-flow-rule.ts';

const FIELD = 'fairness';
const KNOWN = new Set(['key', 'weight']);

/** Null: there is none, or what is wrong has been reported. */
export function parseFairness(ir: JsonObject, findings: Findings): Fairness | null {
  const { problems } = findings;
  const raw = readRule(ir, { field: FIELD, required: 'key', known: KNOWN }, findings);
  if (raw === null) return null;
  const key = parseFlowKey(raw['key'] ?? null, FIELD, findings);
  if (key === null) problems.add(pointerTo(FIELD, 'key'), 'must be an expression over the input');
  const weight = parseWeight(raw['weight'] ?? 1, findings);
  return key === null || key === undefined || weight === null ? null : { key, weight };
}

function parseWeight(value: JsonValue, findings: Findings): Fairness['weight'] | null {
  const at = pointerTo(FIELD, 'weight');
  if (typeof value === 'number' && isWeight(value)) return value;
  if (typeof value === 'string') return readExpression(value, at, findings);
  findings.problems.add(at, `${WEIGHT_RULE}, or an expression over the input`);
  return null;
}
