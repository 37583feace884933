import { isJsonObject } from '../../../src/shared/domain/json.ts';
import type { Dump, EventOf } from '../dump.ts';
import { visitOf } from '../fold-history.ts';
import { deedsOf, success, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * Calls outside: each call carries the key of a step, a step has no more calls than attempts, and
 * each recorded receipt was given under the key of its step.
 */
export function checkEffects(dump: Dump, history: History): Violation[] {
  const calls = deedsOf(history, 'effect');
  const steps = stepsOf(dump);
  const byKey = Map.groupBy(calls, ({ asks }) => asks.key ?? '');
  return [
    ...violations('a call outside carries the key of a step', byKey.entries(), ([key, made]) =>
      steps.has(key) ? null : { about: { key }, saw: `${made.length} calls under it` },
    ),
    ...violations('a step is called for no more often than attempted', byKey.entries(), (of) => {
      const [key, made] = of;
      const step = steps.get(key);
      if (step === undefined || made.length <= step.attempts) return null;
      return {
        about: aboutStep(step, key),
        saw: `${made.length} calls, ${step.attempts} attempts`,
      };
    }),
    ...violations(
      'no call belongs to an attempt after the recorded one',
      calls,
      ({ asks: { key, attempt } }) => {
        const step = steps.get(key ?? '');
        const last = step === undefined || step.isRetried ? null : step.completedIn;
        if (step === undefined || attempt === null || last === null || attempt <= last) return null;
        return { about: aboutStep(step, key), saw: `attempt ${attempt}, completed in ${last}` };
      },
    ),
    ...violations('a recorded receipt was given under the key of its step', steps, (of) => {
      const [key, step] = of;
      const given = (byKey.get(key) ?? []).map(receiptOf);
      if (step.receipt === null || given.includes(step.receipt)) return null;
      return {
        about: aboutStep(step, key),
        saw: `${step.receipt} is on record, given were ${given.join(', ') || 'none'}`,
      };
    }),
  ];
}

/** One visit of a node in its execution and in the retries of that execution. */
interface Step {
  readonly executionId: string;
  readonly visit: string;
  /** Attempts that may have been made: those that failed, and one more. */
  attempts: number;
  /** The attempt whose result is recorded; null: none is, or the event doesn't name the attempt. */
  completedIn: number | null;
  /** A retry counts the attempts from 0 again. */
  isRetried: boolean;
  receipt: string | null;
}

/** By idempotency key. */
function stepsOf(dump: Dump): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  const visits = new Map<string, Step>();
  for (const event of dump.events) {
    const { execution_id: executionId, kind, payload } = event;
    const visit = visitOf(event);
    const step = visits.get(`${executionId} ${visit}`);
    const key = payload['idempotency_key'];
    if (typeof key === 'string') {
      const known = steps.get(key);
      const made = { executionId, visit, attempts: 1, completedIn: null, receipt: null };
      const one = known ?? { ...made, isRetried: false };
      if (known !== undefined && step === undefined) {
        known.attempts += 1;
        known.isRetried = true;
      }
      visits.set(`${executionId} ${visit}`, one);
      steps.set(key, one);
    }
    if (step === undefined) continue;
    if (kind === 'NodeFailed' && payload['retryable'] === true) step.attempts += 1;
    if (kind === 'NodeCompleted') step.receipt = receiptIn(event);
    if (kind === 'ToolCallCompleted' && typeof payload['attempt'] === 'number') {
      step.completedIn = payload['attempt'];
    }
  }
  return steps;
}

function receiptIn({ payload: { output } }: EventOf): string | null {
  const receipt = isJsonObject(output) ? output['receipt'] : null;
  return typeof receipt === 'string' ? receipt : null;
}

function receiptOf(call: DeedOf<'effect'>): string {
  const receipt = success(call)?.['receipt'];
  return typeof receipt === 'string' ? receipt : 'none';
}

function aboutStep({ executionId, visit }: Step, key: string | null) {
  return { execution: executionId, visit, key: key ?? 'none' };
}
