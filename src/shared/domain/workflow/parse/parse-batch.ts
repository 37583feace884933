import type { JsonObject, JsonValue } from '../../json.ts';
import { type Batch, BATCH_MAX, BATCH_MIN } from '../flow/concurrency.ts';
import { type Findings, pointerTo } from '../problem.ts';
import { parseFlowKey, readRule } from './parse-flow-rule.ts';
import { parseTimeout, TIMEOUT_FORMS } from './parse-timeouts.ts';

const FIELD = 'batch';
const KNOWN = new Set(['key', 'max', 'wait']);

/** Null: there is none, or what is wrong has been reported. */
export function parseBatch(ir: JsonObject, findings: Findings): Batch | null {
  const { problems } = findings;
  const raw = readRule(ir, { field: FIELD, required: 'max and wait', known: KNOWN }, findings);
  if (raw === null) return null;
  if ((ir['debounce'] ?? null) !== null) {
    problems.add(
      pointerTo(FIELD),
      'must not stand beside debounce: remove one of them, because debounce drops the inputs that batch gathers',
    );
  }
  const key = parseFlowKey(raw['key'] ?? null, FIELD, findings);
  const max = readMax(raw['max'] ?? null);
  if (max === null) {
    problems.add(
      pointerTo(FIELD, 'max'),
      `must be a whole number from ${BATCH_MIN} to ${BATCH_MAX}`,
    );
  }
  const waitMs = parseTimeout(raw['wait'] ?? null);
  if (waitMs === null) problems.add(pointerTo(FIELD, 'wait'), `must be ${TIMEOUT_FORMS}`);
  return key === undefined || max === null || waitMs === null ? null : { key, max, waitMs };
}

function readMax(value: JsonValue): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value);
  return isCount && value >= BATCH_MIN && value <= BATCH_MAX ? value : null;
}
