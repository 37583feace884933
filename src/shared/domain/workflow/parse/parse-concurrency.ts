import { isJsonObject, type JsonObject } from '../../json.ts';
import { type Concurrency, CONCURRENCY_MAX, WHEN_FULL } from '../flow/concurrency.ts';
import { type Findings, pointerTo, type ProblemList, reportUnknown } from '../problem.ts';
import { parseFlowKey } from './parse-flow-rule.ts';

const FIELD = 'concurrency';
const KNOWN = new Set(['key', 'limit', 'when_full']);

/** Null: there is none, or what is wrong has been reported. */
export function parseConcurrency(ir: JsonObject, findings: Findings): Concurrency | null {
  const { problems } = findings;
  const raw = ir[FIELD] ?? null;
  if (raw === null) return null;
  if (!isJsonObject(raw)) {
    problems.add(pointerTo(FIELD), 'must be an object with limit');
    return null;
  }
  const { key: rawKey = null, limit = null, when_full: rawWhenFull = null } = raw;
  const key = parseFlowKey(rawKey, FIELD, findings);
  const whenFull = WHEN_FULL.find((word) => word === (rawWhenFull ?? 'queue'));
  if (whenFull === undefined) {
    problems.add(pointerTo(FIELD, 'when_full'), `must be one of ${WHEN_FULL.join(', ')}`);
  }
  if (whenFull !== undefined && whenFull !== 'queue' && (ir['rate'] ?? null) !== null) {
    problems.add(pointerTo(FIELD, 'when_full'), 'must be queue beside rate');
  }
  if (whenFull === 'refuse' && (ir['debounce'] ?? null) !== null) {
    problems.add(pointerTo(FIELD, 'when_full'), 'must not be refuse beside debounce');
  }
  if (whenFull !== undefined && whenFull !== 'queue' && (ir['batch'] ?? null) !== null) {
    problems.add(
      pointerTo(FIELD, 'when_full'),
      'must be queue beside batch: remove when_full, or batch',
    );
  }
  if (typeof limit === 'number' && Number.isInteger(limit) && isInRange(limit)) {
    return { key: key ?? null, limit, whenFull: whenFull ?? 'queue' };
  }
  problems.add(pointerTo(FIELD, 'limit'), `must be a whole number from 1 to ${CONCURRENCY_MAX}`);
  return null;
}

/**
 * Reports members that the rule does not have. `parseConcurrency` leaves them alone, because it also
 * reads definitions that were stored while they were ignored, and their executions must continue.
 */
export function checkConcurrencyMembers(ir: JsonObject, problems: ProblemList): void {
  const rule = ir[FIELD] ?? null;
  if (!isJsonObject(rule)) return;
  reportUnknown(rule, KNOWN, (at, message) => problems.add(pointerTo(FIELD) + at, message));
}

function isInRange(limit: number): boolean {
  return limit >= 1 && limit <= CONCURRENCY_MAX;
}
