import { mayEnterWork } from '../../domain/execution/decide.ts';
import { visitKey } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import {
  LeaseLostError,
  type NodeOutcome,
  type NodeProgress,
  type NodeRunners,
} from '../../nodes/run.ts';
import { emptyCommit, type RefusalReason } from '../../store/commit.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { leanEvents } from '../artifacts/lean-events.ts';
import { addUse, readBudgets, useOf } from './budgets.ts';
import { bornItems } from './born-items.ts';
import { commitOfDecision, eventsOfDecision, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import { decideAnywhere } from './decide-serialised.ts';
import type { EngineDeps } from '../deps.ts';
import { beyondDescendants, descendantsMaxOf, withinDepth } from './family.ts';
import { type Held, loadHeld, refreshHeld } from './held-execution.ts';
import { childrenOf, factsOf, foldFacts } from './mail-facts.ts';
import { commitOfWorkflowHold } from '../executions/pause-execution.ts';
import { cancelOrphan } from './tell-family.ts';
import { reportRun } from '../work/report-attempt.ts';
import { type RunningItem, runItem } from './run-items.ts';
import { createRunnerMailbox, type Mail } from './runner-mailbox.ts';
import { addStored, emptyTail, isWorthSnapshot } from './snapshot-tail.ts';
import { afterMicrotasks } from '../scheduling/timers.ts';

/*
 * One execution being advanced by this process: load → decide → commit, again and again, until it
 * waits for the outside.
 *
 * In-engine nodes run on the way. Their items are born leased to this process in the commit that
 * schedules them; the outcome of one, the next decision and the next birth are the next commit, so
 * a chain costs one commit a node. Outcomes that are ready together are settled together.
 *
 * Nothing here is trusted for correctness. A commit states the sequence it was decided on and the
 * fences it ends: when another process got there first (a worker's completion, a cancel, a second
 * scheduler on the same shard) it is refused, the state is read again and the decision made again.
 * A process that dies leaves leases, which lapse and count as failed attempts.
 */
export interface ExecutionRunner {
  /** Something has happened to the execution: look again before coming to rest. */
  poke(): void;
  /** An item of this execution was taken from the queue by this process. */
  adopt(item: RunningItem): void;
  /** This process may hold items of it that it was never told of. */
  doubt(): void;
  /** Starts no further items here: they go to the queue for others. */
  handOver(): void;
  /** Items under way here. */
  items(): readonly RunningItem[];
  /** What came in after the runner had come to rest. */
  leftOver(): { readonly poked: boolean; readonly adopted: readonly RunningItem[] };
  /** Whether it has ended without knowing what this process holds of the execution. */
  isDoubtful(): boolean;
  /** The execution as it rests, or has ended; null: it was not found, or is not known for sure. */
  rested(): Held | null;
  /** Resolves when the execution rests: nothing to decide, nothing running here. */
  readonly done: Promise<void>;
}

const OUTAGE_REST_MS = { min: 100, max: 5_000 };

export function startExecutionRunner(
  deps: EngineDeps,
  runners: NodeRunners,
  of: {
    readonly executionId: ExecutionId;
    /** The execution is marked runnable: the mark is to be cleared before coming to rest. */
    readonly marked: boolean;
    /** Items of this execution that this process has just taken from the queue. */
    readonly adopt: readonly RunningItem[];
    /** As it was when it was last seen here; null: it is read. */
    readonly known: Held | null;
    /** Nothing can have happened since, and the items are of that state. */
    readonly isCurrent: boolean;
    /** This process may hold items of it that it was never told of. */
    readonly isDoubtful: boolean;
  },
): ExecutionRunner {
  const { executionId } = of;
  const running = new Map<string, RunningItem>();
  const adopted: RunningItem[] = [...of.adopt];
  const mailbox = createRunnerMailbox(() => release?.());
  let held: Held | null = of.known;
  let poked = of.known !== null && !of.isCurrent;
  let marked = of.marked;
  /** All that is held has been decided upon. */
  let isDecided = of.isCurrent && !of.marked;
  let release: (() => void) | null = null;
  let draining = false;
  /**
   * An answer of the store was lost: what it leased to this process may not be in hand. Until the
   * next commit is accepted, since the lost one may still be on its way.
   */
  let doubtful = of.isDoubtful;

  async function run(): Promise<void> {
    let restMs = OUTAGE_REST_MS.min;
    if (held !== null && of.isCurrent) for (const item of adopted.splice(0)) start(held, item);
    try {
      for (;;) {
        try {
          if (await advance()) return;
          restMs = OUTAGE_REST_MS.min;
        } catch (error) {
          held = null;
          if (!(error instanceof StoreUnavailableError)) {
            dropAdopted();
            throw error;
          }
          doubtful ||= error.ambiguous;
          if (running.size === 0 && adopted.length === 0) throw error;
          // Items are in hand: keep them until the store is back or their leases are lost.
          await rest(restMs);
          restMs = Math.min(restMs * 2, OUTAGE_REST_MS.max);
        }
      }
    } finally {
      for (const item of running.values().toArray()) item.abort.abort();
      mailbox.close();
    }
  }

  /** Items that will not be run: their leases are gone, or lapse and count as an attempt. */
  function dropAdopted(): void {
    for (const item of adopted.splice(0)) item.abort.abort();
  }

  /** One round. True: the execution rests, or has ended. */
  async function advance(): Promise<boolean> {
    // What has ended by a commit of ours changes no more, whatever one hears of it.
    if (held !== null && isTerminal(held.state.status)) {
      poked = false;
      dropAdopted();
      return true;
    }
    const arrived = adopted.length;
    // An item taken from the queue may be of a visit or an attempt that came after the last reading.
    if (poked || held === null || arrived > 0) {
      poked = false;
      held = await (held === null ? loadHeld(deps, executionId) : refreshHeld(deps, held));
      isDecided = false;
      if (held !== null && (await holdBack(held))) return false;
    }
    if (doubtful && held !== null) await takeInHand();
    if (held === null || isTerminal(held.state.status)) {
      dropAdopted();
      return true;
    }
    abortUnneeded(held);
    for (const item of adopted.splice(0, arrived)) start(held, item);
    if (!isDecided || !mailbox.isEmpty()) {
      // What ends at once, or together, is settled together: in one commit.
      if (mailbox.finished() < running.size) await new Promise<void>(afterMicrotasks);
      const decided = await step(held);
      if (decided) return draining && marked && running.size === 0 && adopted.length === 0;
    }
    if (poked || !mailbox.isEmpty() || adopted.length > 0) return false;
    if (running.size === 0) return true;
    await rest(null);
    return false;
  }

  /**
   * Goes on with what was leased to this process by a commit, or a claim, whose answer never came.
   * Nothing else of this process takes items of this execution meanwhile, but claims.
   */
  async function takeInHand(): Promise<void> {
    const { processId } = deps.settings;
    const leases = await deps.store.work.listHeld({ workerId: processId, executionId });
    const known = new Set([...running.values(), ...adopted].map(({ leaseFence }) => leaseFence));
    for (const { ticket, leaseFence } of leases) {
      if (!known.has(leaseFence))
        adopted.push({ ticket, leaseFence, abort: new AbortController() });
    }
  }

  /** True: its workflow is paused, so it was to be held, and is read again. */
  async function holdBack({ row, state, workflowPause }: Held): Promise<boolean> {
    const commit = commitOfWorkflowHold(row, state, workflowPause);
    if (commit === null) return false;
    held = null;
    const verdict = await deps.committer.commit(commit);
    if (verdict.accepted) afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
    return true;
  }

  /** One decision and its commit. False: there was nothing to decide. */
  async function step(now: Held): Promise<boolean> {
    const mail = mailbox.take((item) => isCurrent(now, item) || forget(item));
    try {
      return await settleAndDecide(now, mail);
    } catch (error) {
      mailbox.putBack(mail);
      throw error;
    }
  }

  async function settleAndDecide(now: Held, mail: Mail): Promise<boolean> {
    const { row, compiled } = now;
    const { facts, stored } = await leanEvents(deps, {
      tenantId: row.tenantId,
      facts: factsOf(now, mail),
      compiled: async () => compiled,
      actorId: SCHEDULER_ACTOR,
      refusesUnknown: false,
    });
    const hasFacts = facts.length > 0;
    const state = hasFacts ? foldFacts(now, facts) : now.state;
    const tenant = await deps.tenants.get(row.tenantId);
    now.tenant = tenant;
    const needsBudgets = now.hasBudget && mayEnterWork(state);
    const decision = await decideAnywhere({
      cpu: deps.cpu,
      caller: { signal: null, whenBusy: 'waits' },
      ids: deps.ids,
      plan: compiled.plan,
      ir: compiled.definition.ir,
      state,
      ownsState: hasFacts,
      tenantPolicy: tenant.policy,
      budgets: needsBudgets ? addUse(await readBudgets(deps, executionId), facts) : [],
    });
    const { next } = decision;
    if (!hasFacts && decision.events.length === 0) {
      isDecided = true;
      return clearMark(now, next.status);
    }
    const events = eventsOfDecision(stored, decision);
    const tail = addStored(now.tail, events);
    const { processId, leaseMs } = deps.settings;
    const commit = commitOfDecision({
      plan: compiled.plan,
      base: now.state,
      rowStatus: now.rowStatus,
      events,
      decision,
      home: {
        // What is not begun here waits on its queue: for another process, or for the tenant.
        leaseTo: draining || tenant.status !== 'active' ? null : { processId, leaseMs },
        priority: row.priority,
      },
      takeSnapshot: isWorthSnapshot(tail, next.status),
      settles: mail.settled.map(({ item }) => item),
      startsExecutions: childrenOf(now, mail),
      descendantsMax: descendantsMaxOf(tenant, deps.settings),
      charge: useOf(facts),
    });
    const verdict = await deps.committer.commit(commit);
    if (!verdict.accepted) {
      if (verdict.reason === 'orphaned') await cancelOrphan(deps, now);
      refused(now, verdict.reason, mail);
      return true;
    }
    doubtful = false;
    now.state = next;
    now.rowStatus = next.status;
    now.tail = commit.snapshot === null ? tail : emptyTail(commit.snapshot.length);
    marked = decision.more;
    isDecided = !decision.more;
    for (const { kept } of mail.noted) kept.resolve();
    for (const { item } of mail.settled) forget(item);
    for (const item of bornItems(commit, verdict.fences)) start(now, item);
    const started = commit.startsExecutions?.length ?? 0;
    if (started > 0) deps.report.count('executions_started', started);
    afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
    return true;
  }

  function isCurrent(now: Held, item: RunningItem): boolean {
    const { nodeId, visit, workItemId, attempt } = item.ticket;
    const live = now.state.live.get(visitKey(nodeId, visit));
    return (
      running.get(workItemId) === item &&
      live?.workItemId === workItemId &&
      live.attempt === attempt
    );
  }

  /** Runs of visits that have been cancelled. */
  function abortUnneeded(now: Held): void {
    for (const { ticket, abort } of running.values().toArray()) {
      if (!now.state.live.has(visitKey(ticket.nodeId, ticket.visit))) abort.abort();
    }
  }

  /** See `NodeCall.record`. */
  function note(item: RunningItem, progress: NodeProgress): Promise<void> {
    const { workItemId } = item.ticket;
    if (running.get(workItemId) === item) return mailbox.note(item, progress);
    return Promise.reject(new LeaseLostError(workItemId));
  }

  function refused(now: Held, reason: RefusalReason, mail: Mail): void {
    held = null;
    const { noted, settled } = mail;
    if (reason === 'descendants_limited') return refuseChildren(now, mail);
    const [first, ...others] = settled;
    if (reason === 'stale' && first !== undefined && others.length === 0) {
      // Its lease is lost: whoever holds the new one settles it.
      forget(first.item);
      return mailbox.putBack({ noted, settled: [] });
    }
    if (reason === 'stale') mailbox.splitUp();
    mailbox.putBack(mail);
  }

  /** Which of several children was one too many is not said: they are started one at a time then. */
  function refuseChildren(now: Held, { noted, settled }: Mail): void {
    const of = { state: now.state, max: descendantsMaxOf(now.tenant, deps.settings) };
    const refuse = (outcome: NodeOutcome) => beyondDescendants(outcome, of);
    const isAlone = settled.filter(({ outcome }) => outcome.ok === 'child').length === 1;
    if (!isAlone) mailbox.splitUp();
    mailbox.putBack({
      noted,
      settled: isAlone
        ? settled.map(({ item, outcome }) => ({ item, outcome: refuse(outcome) }))
        : settled,
    });
  }

  function start(now: Held, item: RunningItem): void {
    const { workItemId } = item.ticket;
    const earlier = running.get(workItemId);
    if (earlier?.leaseFence === item.leaseFence) return;
    // An earlier run of the same item has lost its lease to this one.
    earlier?.abort.abort();
    const { signal } = item.abort;
    if (signal.aborted) return;
    running.set(workItemId, item);
    // Not at its end: a run that never heeds the signal would keep the execution from resting.
    signal.addEventListener('abort', () => void forget(item), { once: true });
    const { plan } = now.compiled;
    const record = (progress: NodeProgress) => note(item, progress);
    const at = { plan, state: now.state, tenantPolicy: now.tenant.policy, record };
    const { artifacts } = deps.store;
    const begunAt = deps.timers.now();
    void runItem({ runners, artifacts }, at, item).then((outcome) => {
      if (running.get(workItemId) !== item) return;
      const { ticket } = item;
      const node = plan.nodes.get(ticket.nodeId) ?? null;
      const { workflowId } = plan;
      reportRun(deps, { ticket, workflowId, node, outcome, ms: deps.timers.now() - begunAt });
      mailbox.finish({ item, outcome: withinDepth(outcome, at.state) });
    });
  }

  /** The item is under way here no more, unless it has been taken anew in the meantime. */
  function forget(item: RunningItem): false {
    const { workItemId } = item.ticket;
    if (running.get(workItemId) === item) {
      running.delete(workItemId);
      release?.();
    }
    return false;
  }

  async function clearMark(now: Held, status: ExecutionStatus): Promise<boolean> {
    if (!marked) return false;
    const verdict = await deps.committer.commit({
      ...emptyCommit(now.row),
      expectedSequence: now.state.sequence,
      status: status === now.rowStatus ? null : status,
      runnable: 'clear',
    });
    if (verdict.accepted) {
      marked = false;
      now.rowStatus = status;
    } else held = null;
    return !verdict.accepted;
  }

  /** Until something happens, or for so long at most. */
  function rest(timeoutMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timeoutMs === null ? null : deps.timers.after(timeoutMs, () => release?.());
      release = () => {
        cancel?.();
        release = null;
        resolve();
      };
    });
  }

  return {
    poke: () => {
      poked = true;
      marked = true;
      release?.();
    },
    adopt: (item) => {
      adopted.push(item);
      release?.();
    },
    doubt: () => {
      doubtful = true;
      poked = true;
      release?.();
    },
    handOver: () => {
      draining = true;
    },
    items: () => [...running.values(), ...adopted],
    leftOver: () => ({ poked, adopted }),
    isDoubtful: () => doubtful,
    rested: () => held,
    done: run(),
  };
}
