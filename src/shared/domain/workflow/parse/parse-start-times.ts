import type { JsonObject } from '../../json.ts';
import { endsBeforeStart, type StartTimes } from '../flow/start-times.ts';
import { type Findings, pointerTo } from '../problem.ts';
import type { TimerSpec } from '../plan/plan.ts';
import { parseTimeout, TIMEOUT_FORMS } from './parse-timeouts.ts';

/** A definition gives durations: an instant is the same for all its executions. */
export function parseStartTimes(ir: JsonObject, findings: Findings): StartTimes {
  const times = {
    after: readDelay(ir, 'start_after', findings),
    deadline: readDelay(ir, 'start_deadline', findings),
  };
  if (endsBeforeStart(times)) {
    findings.problems.add(pointerTo('start_deadline'), 'must be later than start_after');
  }
  return times;
}

function readDelay(ir: JsonObject, field: string, { problems }: Findings): TimerSpec | null {
  const value = ir[field] ?? null;
  if (value === null) return null;
  const delayMs = parseTimeout(value);
  if (delayMs === null) problems.add(pointerTo(field), `must be ${TIMEOUT_FORMS}`);
  return delayMs === null ? null : { delayMs };
}
