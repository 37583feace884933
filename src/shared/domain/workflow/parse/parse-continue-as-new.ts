import { parseExpression } from '../../expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ContinueAsNew } from '../plan/plan.ts';
import type { Findings } from '../problem.ts';

/** Below this a run would end before it has come anywhere. */
const AFTER_EVENTS_MIN = 100;
const AT = '/continue_as_new';

/** Null: there is none, or what is wrong has been reported. */
export function parseContinueAsNew(ir: JsonObject, findings: Findings): ContinueAsNew | null {
  const { problems } = findings;
  const raw = ir['continue_as_new'] ?? null;
  if (raw === null) return null;
  if (!isJsonObject(raw)) {
    problems.add(AT, 'must be an object with after_events, when, or both');
    return null;
  }
  const afterEvents = readAfterEvents(raw['after_events'] ?? null, findings);
  const when = readWhen(raw['when'] ?? null, findings);
  if (afterEvents !== null || when !== null) return { afterEvents, when };
  if ((raw['after_events'] ?? raw['when'] ?? null) === null) {
    problems.add(AT, 'missing after_events or when');
  }
  return null;
}

function readAfterEvents(value: JsonValue, { problems }: Findings): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= AFTER_EVENTS_MIN) {
    return value;
  }
  problems.add(`${AT}/after_events`, `must be a whole number, ${AFTER_EVENTS_MIN} or more`);
  return null;
}

function readWhen(value: JsonValue, { problems }: Findings): ContinueAsNew['when'] {
  if (value === null) return null;
  if (typeof value !== 'string') {
    problems.add(`${AT}/when`, 'must be an expression');
    return null;
  }
  const parsed = parseExpression(value);
  if (parsed.ok) return parsed.expression;
  problems.add(`${AT}/when`, parsed.message);
  return null;
}
