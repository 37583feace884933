import { type Decision, mayEnterWork } from '../../domain/execution/decide.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { CommitPlan, NewEvent, StartedExecution } from '../../store/commit.ts';
import { offloadEvents } from '../artifacts/offload-events.ts';
import type { DecisionHome } from '../commit/collect-effects.ts';
import { commitOfDecision, eventsOfDecision, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';
import { addUse, readBudgets, useOf } from './budgets.ts';
import { decideAnywhere } from './decide-serialised.ts';
import { descendantsMaxOf } from './family.ts';
import type { Held } from './held-execution.ts';
import { childrenOf, factsOf, foldFacts } from './mail-facts.ts';
import type { RunningItem } from './run-items.ts';
import type { Mail } from './runner-mailbox.ts';
import { addStored, isWorthSnapshot, type Tail } from './snapshot-tail.ts';

/** One step of an execution: planned, not committed yet. */
export type PlannedStep = CommitStep | EmptyStep;

export interface CommitStep extends PlannedDecision {
  readonly mail: Mail;
}

/** A decision with the commit that carries it out. */
export interface PlannedDecision {
  readonly decision: Decision;
  readonly commit: CommitPlan;
  /** With the events of the commit. */
  readonly tail: Tail;
}

/** Nothing has happened, and nothing follows. */
export interface EmptyStep {
  readonly decision: Decision;
  readonly commit: null;
}

/** No client waits for this step, so a busy pool delays it and never refuses it. */
const CALLER: Pick<CpuCaller, 'signal' | 'whenBusy'> = { signal: null, whenBusy: 'waits' };

/**
 * Turns mail into facts, and plans one commit of them and of what follows from them. It sets `held` to
 * the tenant whose policy the decision used.
 */
export async function planStep(
  deps: EngineDeps,
  held: Held,
  { mail, mayLease }: { readonly mail: Mail; readonly mayLease: boolean },
): Promise<PlannedStep> {
  const { row, compiled } = held;
  const { facts, stored } = await offloadEvents(deps, {
    tenantId: row.tenantId,
    facts: factsOf(held, mail),
    compiled: async () => compiled,
    actorId: SCHEDULER_ACTOR,
    refusesUnknown: false,
  });
  held.tenant = await deps.tenants.get(row.tenantId);
  const planned = await planDecision(deps, held, {
    facts,
    stored,
    leaseTo: mayLease ? deps.settings : null,
    settles: mail.settled.map(({ item }) => item),
    startsExecutions: childrenOf(held, mail),
  });
  return planned.commit === null ? planned : { ...planned, mail };
}

/** Folds the facts, decides on the resulting state, and plans one commit. */
export async function planDecision(
  deps: EngineDeps,
  held: Held,
  given: {
    readonly facts: readonly ExecutionEvent[];
    /** The same facts as they are stored. */
    readonly stored: readonly NewEvent[];
    /** See `DecisionHome`. */
    readonly leaseTo: DecisionHome['leaseTo'];
    readonly settles: readonly Pick<RunningItem, 'ticket' | 'leaseFence'>[];
    readonly startsExecutions?: readonly StartedExecution[];
  },
): Promise<PlannedDecision | EmptyStep> {
  const { row, compiled, tenant } = held;
  const { facts, stored, leaseTo, settles, startsExecutions = [] } = given;
  const hasFacts = facts.length > 0;
  const state = hasFacts ? foldFacts(held, facts) : held.state;
  const needsBudgets = held.hasBudget && mayEnterWork(state);
  const decision = await decideAnywhere({
    cpu: deps.cpu,
    caller: CALLER,
    ids: deps.ids,
    plan: compiled.plan,
    ir: compiled.definition.ir,
    state,
    ownsState: hasFacts,
    tenantPolicy: tenant.policy,
    budgets: needsBudgets ? addUse(await readBudgets(deps, row.executionId), facts) : [],
  });
  if (!hasFacts && decision.events.length === 0) {
    return { decision, commit: null };
  }
  const events = eventsOfDecision(stored, decision);
  const tail = addStored(held.tail, events);
  const commit = commitOfDecision({
    plan: compiled.plan,
    base: held.state,
    rowStatus: held.rowStatus,
    events,
    decision,
    home: {
      // Items that do not start here wait on their queue, for another process or until the tenant
      // is active.
      leaseTo: tenant.status === 'active' ? leaseTo : null,
      priority: row.priority,
    },
    takeSnapshot: isWorthSnapshot(tail, decision.next.status),
    settles,
    startsExecutions,
    descendantsMax: descendantsMaxOf(tenant, deps.settings),
    charge: useOf(facts),
  });
  return { decision, commit, tail };
}
