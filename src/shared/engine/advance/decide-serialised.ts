import { decide } from '../../domain/execution/decide.ts';
import type { Effect } from '../../domain/execution/effect.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { decodeState, encodeState } from '../../domain/execution/state-codec.ts';
import type { WorkItemId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Decision } from '../../domain/execution/decide.ts';
import type { HeldBudget } from '../../domain/budget/budget.ts';
import type { Policy } from '../../domain/policy/policy.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { compilePlan } from '../../domain/workflow/plan/compile-plan.ts';
import { builtInKinds } from '../../nodes/index.ts';
import type { Cpu, CpuCaller } from '../../ports/cpu.ts';
import type { Ids } from '../../ports/ids.ts';

/**
 * Ids passed to the pool: one for each node that a decision may enter, and one for each live visit.
 */
const IDS = 256;
/**
 * A state with more JSON values is decided on another thread, since expressions may read all of it.
 */
const LARGE_STATE_VALUES = 20_000;

/**
 * Decides here when the state is small, and on the worker-thread pool when it is large and the
 * decision enters a node. A decision that only answers live visits stays here: a large map gets one
 * for each of its items, and copying all its results to another thread would cost more than the
 * decision.
 */
export async function decideAnywhere(params: {
  readonly cpu: Cpu;
  readonly caller: Pick<CpuCaller, 'signal' | 'whenBusy'>;
  readonly ids: Ids;
  readonly plan: Plan;
  readonly ir: JsonObject;
  readonly state: ExecutionState;
  /** See `decide`. */
  readonly ownsState?: boolean;
  readonly tenantPolicy: Policy;
  readonly budgets: readonly HeldBudget[];
}): Promise<Decision> {
  const { cpu, ids, plan, ir, state, ownsState = false, tenantPolicy, budgets } = params;
  const isLarge = holdsMoreThan(state.data, LARGE_STATE_VALUES);
  if (!isLarge || state.arrivals.length === 0) {
    const newWorkItemId = () => ids.uuid() as WorkItemId;
    const leavesArrivals = isLarge;
    return decide({ plan, state, ownsState, tenantPolicy, budgets, newWorkItemId, leavesArrivals });
  }
  const request: DecideRequest = {
    state: encodeState(state),
    ids: Array.from({ length: IDS + state.live.size }, () => ids.uuid()),
    tenantPolicy,
    budgets,
  };
  const snapshot = JSON.stringify(request);
  const caller = { ...params.caller, tenantId: state.tenantId };
  const answer = (await cpu.decide({ ir, snapshot, caller })) as DecideAnswer;
  return { ...answer, next: decodeState(answer.next) };
}

/** The other side of `decideAnywhere`, called on a pool thread. */
export function decideSerialised(params: {
  readonly ir: JsonObject;
  readonly snapshot: string;
}): unknown {
  const request = JSON.parse(params.snapshot) as DecideRequest;
  const ids = request.ids.values();
  const { events, effects, next, more } = decide({
    plan: compilePlan(params.ir, builtInKinds),
    state: decodeState(request.state),
    tenantPolicy: request.tenantPolicy,
    budgets: request.budgets,
    newWorkItemId: () => {
      const id = ids.next();
      if (id.done) throw new Error('a decision needs more work item ids than it was given');
      return id.value as WorkItemId;
    },
  });
  const answer: DecideAnswer = { events, effects, next: encodeState(next), more };
  return answer;
}

interface DecideRequest {
  readonly state: string;
  readonly ids: readonly string[];
  readonly tenantPolicy: Policy;
  readonly budgets: readonly HeldBudget[];
}

interface DecideAnswer {
  readonly events: readonly ExecutionEvent[];
  readonly effects: readonly Effect[];
  readonly next: string;
  readonly more: boolean;
}

/** Whether a value contains more than `limit` values; it reads at most that many. */
function holdsMoreThan(value: JsonValue, limit: number): boolean {
  const waiting: JsonValue[] = [value];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    seen += 1;
    if (seen > limit) return true;
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly JsonValue[] = Object.values(next);
    if (seen + waiting.length + members.length > limit) return true;
    waiting.push(...members);
  }
  return false;
}
