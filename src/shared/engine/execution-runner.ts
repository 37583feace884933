import type { ExecutionEvent } from '../domain/execution/event.ts';
import { evolve } from '../domain/execution/evolve.ts';
import { type ExecutionState, visitKey } from '../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../domain/execution/status.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import {
  LeaseLostError,
  type NodeOutcome,
  type NodeProgress,
  type NodeRunners,
} from '../nodes/run.ts';
import { type CommitPlan, type RefusalReason, emptyCommit } from '../store/commit.ts';
import { type ExecutionRow, StoreUnavailableError } from '../store/store.ts';
import { afterCommit } from './after-commit.ts';
import { leanEvents } from './artifacts/lean-events.ts';
import { addUse, chargeWith, readBudgets } from './budgets.ts';
import { commitOfDecision, SCHEDULER_ACTOR } from './commit-plan.ts';
import { decideAnywhere } from './decide-serialised.ts';
import type { CompiledDefinition } from './definition-cache.ts';
import type { EngineDeps } from './deps.ts';
import { startedChild, withinDepth } from './family.ts';
import { foldLoaded } from './load-execution.ts';
import { outcomeFacts } from './outcome-facts.ts';
import { type RunningItem, runItem } from './run-items.ts';
import { addToTail, emptyTail, isWorthSnapshot, type Tail } from './snapshot-tail.ts';

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
  /** Starts no further items here: they go to the queue for others. */
  handOver(): void;
  /** Items under way here. */
  items(): readonly RunningItem[];
  /** What came in after the runner had come to rest. */
  leftOver(): { readonly poked: boolean; readonly adopted: readonly RunningItem[] };
  /** The execution as it rests, or has ended; null: it was not found, or is not known for sure. */
  rested(): Held | null;
  /** Resolves when the execution rests: nothing to decide, nothing running here. */
  readonly done: Promise<void>;
}

interface Finished {
  readonly item: RunningItem;
  readonly outcome: NodeOutcome;
}

/** What a run under way wants on record before it goes on. */
interface Note {
  readonly item: RunningItem;
  readonly progress: NodeProgress;
  readonly kept: PromiseWithResolvers<void>;
}

/** An execution as this process knows it. */
export interface Held {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  state: ExecutionState;
  /** What the row says, which facts may change by themselves; null: not known. */
  rowStatus: ExecutionStatus | null;
  tail: Tail;
  /** As of the last decision. */
  tenant: Tenant;
  /** Its own, or of something that it is a descendant of. */
  readonly hasBudget: boolean;
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
    /** As it was when it last came to rest here; what has happened since is read. */
    readonly known: Held | null;
  },
): ExecutionRunner {
  const { executionId } = of;
  const running = new Map<string, RunningItem>();
  const adopted: RunningItem[] = [...of.adopt];
  const finished: Finished[] = [];
  const notes: Note[] = [];
  /** Outcomes were refused together, which doesn't say which is at fault: settle one at a time. */
  let oneByOne = false;
  let held: Held | null = of.known;
  let poked = of.known !== null;
  let marked = of.marked;
  let release: (() => void) | null = null;
  let draining = false;

  async function run(): Promise<void> {
    let restMs = OUTAGE_REST_MS.min;
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
          if (running.size === 0 && adopted.length === 0) throw error;
          // Items are in hand: keep them until the store is back or their leases are lost.
          await rest(restMs);
          restMs = Math.min(restMs * 2, OUTAGE_REST_MS.max);
        }
      }
    } finally {
      for (const item of running.values().toArray()) item.abort.abort();
      for (const note of notes.splice(0)) giveUp(note);
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
      held = await refresh(held);
      // Policies may have changed since the last decision, and hold for what is run next.
      if (held !== null) held.tenant = await deps.tenants.get(held.row.tenantId);
    }
    if (held === null || isTerminal(held.state.status)) {
      dropAdopted();
      return true;
    }
    abortUnneeded(held);
    for (const item of adopted.splice(0, arrived)) start(held, item);
    if (await step(held)) return draining && marked && running.size === 0 && adopted.length === 0;
    if (poked || finished.length > 0 || notes.length > 0 || adopted.length > 0) return false;
    if (running.size === 0) return true;
    await rest(null);
    return false;
  }

  /** One decision and its commit. False: there was nothing to decide. */
  async function step(now: Held): Promise<boolean> {
    const noted = notes.splice(0).filter((note) => isCurrent(now, note.item) || giveUp(note));
    const settled = takeFinished(now);
    try {
      return await settleAndDecide(now, noted, settled);
    } catch (error) {
      notes.unshift(...noted);
      finished.unshift(...settled);
      throw error;
    }
  }

  async function settleAndDecide(
    now: Held,
    noted: readonly Note[],
    settled: readonly Finished[],
  ): Promise<boolean> {
    const { facts, stored } = await leanEvents(deps, {
      tenantId: now.row.tenantId,
      facts: factsOf(now, noted, settled),
      compiled: async () => now.compiled,
      actorId: SCHEDULER_ACTOR,
      refusesUnknown: false,
    });
    const state = facts.length === 0 ? now.state : foldFacts(now, facts);
    const { plan, definition } = now.compiled;
    const tenant = await deps.tenants.get(now.row.tenantId);
    now.tenant = tenant;
    const { ir } = definition;
    const budgets = now.hasBudget ? addUse(await readBudgets(deps, executionId), facts) : [];
    const tenantPolicy = tenant.policy;
    const decision = await decideAnywhere({ ...deps, plan, ir, state, tenantPolicy, budgets });
    if (facts.length === 0 && decision.events.length === 0) {
      return clearMark(now, decision.next.status);
    }
    const tail = addToTail(now.tail, [...facts, ...decision.events]);
    const takeSnapshot = isWorthSnapshot(tail, decision.next.status);
    const { processId, leaseMs } = deps.settings;
    const { priority } = now.row;
    const decided = commitOfDecision({
      plan,
      base: now.state,
      rowStatus: now.rowStatus,
      facts: stored,
      decision,
      home: {
        // What is not begun here waits on its queue: for another process, or for the tenant.
        leaseTo: draining || tenant.status !== 'active' ? null : { processId, leaseMs },
        priority,
      },
      takeSnapshot,
    });
    const commit: CommitPlan = {
      ...decided,
      ...chargeWith(facts),
      startsExecutions: [
        ...(decided.startsExecutions ?? []),
        ...settled.flatMap(({ item: { ticket }, outcome }) =>
          outcome.ok === 'child'
            ? startedChild(outcome.child, { ...ticket, parent: now.state, priority })
            : [],
        ),
      ],
      settles: settled.map(({ item }) => ({
        workItemId: item.ticket.workItemId,
        leaseFence: item.leaseFence,
        onlyIfExpired: false,
      })),
    };
    const verdict = await deps.committer.commit(commit);
    if (!verdict.accepted) {
      notes.unshift(...noted);
      refused(verdict.reason, settled);
      return true;
    }
    now.state = decision.next;
    now.rowStatus = decision.next.status;
    now.tail = commit.snapshot === null ? tail : emptyTail(commit.snapshot.length);
    deps.report.count('executions_started', commit.startsExecutions?.length ?? 0);
    marked = decision.more;
    for (const { kept } of noted) kept.resolve();
    for (const { item } of settled) forget(item);
    commit.bornLeased.forEach(({ ticket }, index) => {
      const leaseFence = verdict.fences[index];
      if (leaseFence === undefined) throw new Error('a born lease came without its fence');
      start(now, { ticket, leaseFence, abort: new AbortController() });
    });
    const { shard, createdAt } = now.row;
    afterCommit(deps, { commit, shard, createdAt, committedAt: verdict.createdAt });
    return true;
  }

  /** Outcomes to settle now; those of items or visits that are no longer under way are dropped. */
  function takeFinished(now: Held): readonly Finished[] {
    const taken = oneByOne ? finished.splice(0, 1) : finished.splice(0);
    if (finished.length === 0) oneByOne = false;
    return taken.filter(({ item }) => {
      const current = isCurrent(now, item);
      if (!current) forget(item);
      return current;
    });
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

  function giveUp({ item, kept }: Note): false {
    kept.reject(new LeaseLostError(item.ticket.workItemId));
    return false;
  }

  /** Runs of visits that have been cancelled. */
  function abortUnneeded(now: Held): void {
    for (const { ticket, abort } of running.values().toArray()) {
      if (!now.state.live.has(visitKey(ticket.nodeId, ticket.visit))) abort.abort();
    }
  }

  /** Kept once it is committed; see `NodeCall.record`. */
  function note(item: RunningItem, progress: NodeProgress): Promise<void> {
    const kept = Promise.withResolvers<void>();
    if (running.get(item.ticket.workItemId) === item) {
      notes.push({ item, progress, kept });
      release?.();
    } else giveUp({ item, progress, kept });
    return kept.promise;
  }

  function refused(reason: RefusalReason, settled: readonly Finished[]): void {
    held = null;
    const [first, ...others] = settled;
    if (reason === 'stale' && first !== undefined && others.length === 0) {
      // Its lease is lost: whoever holds the new one settles it.
      forget(first.item);
      return;
    }
    if (reason === 'stale') oneByOne = true;
    finished.unshift(...settled);
  }

  function start(now: Held, item: RunningItem): void {
    const { workItemId } = item.ticket;
    // An earlier run of the same item has lost its lease to this one.
    running.get(workItemId)?.abort.abort();
    const { signal } = item.abort;
    if (signal.aborted) return;
    running.set(workItemId, item);
    // Not at its end: a run that never heeds the signal would keep the execution from resting.
    signal.addEventListener('abort', () => forget(item), { once: true });
    const { plan } = now.compiled;
    const record = (progress: NodeProgress) => note(item, progress);
    const at = { plan, state: now.state, tenantPolicy: now.tenant.policy, record };
    const { artifacts } = deps.store;
    void runItem({ runners, artifacts }, at, item).then((outcome) => {
      if (running.get(workItemId) !== item) return;
      finished.push({ item, outcome: withinDepth(outcome, at.state) });
      release?.();
    });
  }

  /** The item is under way here no more, unless it has been taken anew in the meantime. */
  function forget(item: RunningItem): void {
    const { workItemId } = item.ticket;
    if (running.get(workItemId) !== item) return;
    running.delete(workItemId);
    release?.();
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

  async function refresh(known: Held | null): Promise<Held | null> {
    if (known !== null) {
      const { plan } = known.compiled;
      const after = known.state.sequence;
      const events = await deps.store.executions.events({ executionId, after, limit: null });
      const state = evolve({ state: known.state, events, plan });
      const rowStatus = events.length === 0 ? known.rowStatus : null;
      return { ...known, state, rowStatus, tail: addToTail(known.tail, events) };
    }
    const loaded = await deps.store.executions.load(executionId, null);
    if (loaded === null) return null;
    const compiled = await deps.definitions.get(loaded.row.definitionId);
    const state = foldLoaded(loaded, compiled.plan);
    const { row } = loaded;
    const tenant = await deps.tenants.get(row.tenantId);
    const hasBudget =
      compiled.plan.budget !== null ||
      (row.parentExecutionId !== null && (await readBudgets(deps, executionId)).length > 0);
    const { status: rowStatus } = row;
    const tail = addToTail(emptyTail(loaded.snapshot?.body.length ?? 0), loaded.events);
    return { row, compiled, state, rowStatus, tail, tenant, hasBudget };
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
    handOver: () => {
      draining = true;
    },
    items: () => [...running.values(), ...adopted],
    leftOver: () => ({ poked, adopted }),
    rested: () => held,
    done: run(),
  };
}

/** What came back from the items, as it goes into the log: what they recorded, and how they ended. */
function factsOf(
  held: Held,
  noted: readonly Note[],
  settled: readonly Finished[],
): ExecutionEvent[] {
  const facts = noted.map(({ item, progress }): ExecutionEvent => {
    const { nodeId, visit, attempt, workItemId } = item.ticket;
    const payload = { visit, attempt, work_item_id: workItemId, ...progress };
    return { kind: 'NodeProgress', nodeId, payload };
  });
  for (const { item, outcome } of settled) {
    const { nodeId, visit, idempotencyKey } = item.ticket;
    const node = held.compiled.plan.nodes.get(nodeId);
    const live = held.state.live.get(visitKey(nodeId, visit));
    if (node === undefined || live === undefined) continue;
    const attempt = item.ticket;
    facts.push(...outcomeFacts({ node, visit: live, attempt, idempotencyKey, outcome }));
  }
  return facts;
}

function foldFacts(held: Held, facts: readonly ExecutionEvent[]): ExecutionState {
  return evolve({
    state: held.state,
    events: facts.map((event, index) => ({
      ...event,
      sequence: held.state.sequence + index + 1,
    })),
    plan: held.compiled.plan,
  });
}
