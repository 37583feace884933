import { isJsonObject, type JsonObject } from '../../json.ts';
import type { StartRate } from '../flow/concurrency.ts';
import { parsePace } from '../flow/rate.ts';
import { type Findings, pointerTo } from '../problem.ts';
import { parseFlowKey } from './parse-flow-rule.ts';

const FIELD = 'rate';

/** Null: there is none, or what is wrong has been reported. */
export function parseStartRate(ir: JsonObject, findings: Findings): StartRate | null {
  const raw = ir[FIELD] ?? null;
  if (raw === null) return null;
  const pace = parsePace(raw, (within, message) => {
    findings.problems.add(pointerTo(FIELD) + within, message);
  });
  const key = parseFlowKey(isJsonObject(raw) ? (raw['key'] ?? null) : null, FIELD, findings);
  return pace === null || key === undefined ? null : { key, ...pace };
}
