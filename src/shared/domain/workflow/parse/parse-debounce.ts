import type { JsonObject } from '../../json.ts';
import type { Debounce } from '../flow/concurrency.ts';
import { type Findings, pointerTo } from '../problem.ts';
import { parseFlowKey, readRule } from './parse-flow-rule.ts';
import { parseTimeout, TIMEOUT_FORMS } from './parse-timeouts.ts';

const FIELD = 'debounce';
const KNOWN = new Set(['key', 'wait', 'max_wait']);

/** Null: there is none, or what is wrong has been reported. */
export function parseDebounce(ir: JsonObject, findings: Findings): Debounce | null {
  const { problems } = findings;
  const raw = readRule(ir, { field: FIELD, required: 'wait', known: KNOWN }, findings);
  if (raw === null) return null;
  const key = parseFlowKey(raw['key'] ?? null, FIELD, findings);
  const waitMs = parseTimeout(raw['wait'] ?? null);
  if (waitMs === null) problems.add(pointerTo(FIELD, 'wait'), `must be ${TIMEOUT_FORMS}`);
  const rawMax = raw['max_wait'] ?? null;
  const maxWaitMs = rawMax === null ? null : parseTimeout(rawMax);
  if (rawMax !== null && (maxWaitMs === null || maxWaitMs < (waitMs ?? 0))) {
    problems.add(pointerTo(FIELD, 'max_wait'), 'must be a duration that is not shorter than wait');
  }
  return key === undefined || waitMs === null ? null : { key, waitMs, maxWaitMs };
}
