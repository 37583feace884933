import type { Plan } from '../plan/plan.ts';
import { CONCURRENCY_MAX } from './concurrency.ts';
import type { FlowRules } from './given-rules.ts';
import { RATE_LIMIT_MAX, tokenIntervalUs, type Pace } from './rate.ts';

/*
 * The version of a workflow that is registered last limits all of its executions that have not begun, also
 * those of other versions. So a limit that is raised lets those begin that wait, and one that is lowered holds
 * them back. A version without a limit lifts it.
 */

type Limited = Pick<Plan, 'concurrency' | 'rate'>;

/** The limits in force, as a wait and a definition keep them. */
export interface WaitLimits {
  readonly placesMax: number;
  readonly intervalUs: number;
  readonly burst: number;
}

const UNPACED: Pace = { limit: RATE_LIMIT_MAX, perMs: 1_000, burst: RATE_LIMIT_MAX };

/** Limits of the version that is registered last. */
export function waitLimitsOf({ concurrency, rate }: Limited): WaitLimits {
  const pace = rate ?? UNPACED;
  return {
    placesMax: concurrency?.limit ?? CONCURRENCY_MAX,
    intervalUs: tokenIntervalUs(pace),
    burst: pace.burst,
  };
}

/** The rules of an execution, with the limits of the version that is registered last. Those of its start stay. */
export function withLimitsOf(rules: FlowRules, last: Limited): FlowRules {
  const { concurrency, rate, given } = rules;
  const { limit, perMs, burst } = last.rate ?? UNPACED;
  return {
    ...rules,
    ...(given?.has('concurrency') !== true && {
      concurrency: concurrency && { ...concurrency, limit: waitLimitsOf(last).placesMax },
    }),
    ...(given?.has('rate') !== true && { rate: rate && { ...rate, limit, perMs, burst } }),
  };
}
