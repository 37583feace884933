import { emptyCommit } from '../../store/commit.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { EnginePorts } from '../../nodes/ports.ts';
import type { NodeRunners } from '../../nodes/run.ts';
import { isAmbiguous, StoreUnavailableError } from '../../store/store.ts';

import type { EngineDeps } from '../deps.ts';
import { ExecutionRunner } from '../advance/execution-runner.ts';
import type { Held } from '../advance/held-execution.ts';
import { expireQueued } from './expire-queued.ts';
import { fireTimers } from './fire-timers.ts';
import { reclaimLeases } from './reclaim-leases.ts';
import { createRestingStates } from '../advance/resting-states.ts';
import type { RunningItem } from '../advance/run-items.ts';
import type { RoundResult } from './round-result.ts';
import type { Scheduling } from './scheduling.ts';
import type { StartsHere } from '../advance/starts-here.ts';
import { createPauseSweep } from './sweep-workflow-pauses.ts';
import { cancelledTopic, queueTopic } from '../wake/wake-for.ts';

/** Executions a process advances at a time; the rest stay marked and are taken up later. */
const UNDER_WAY_MAX = 1_000;
/** An execution that cannot be advanced keeps its mark; others come first for so long. */
const SET_ASIDE_MS = 10_000;

export function createScheduling(
  deps: EngineDeps,
  runnersOf: (ports: EnginePorts) => NodeRunners,
): { readonly scheduling: Scheduling; readonly startsHere: StartsHere } {
  const runners = runnersOf(enginePorts(deps));
  const underWay = new Map<ExecutionId, ExecutionRunner>();
  /** Until when; see SET_ASIDE_MS. */
  const setAside = new Map<ExecutionId, number>();
  const resting = createRestingStates();
  const pauseSweep = createPauseSweep(deps);
  /** Those of which this process may hold items that it was never told of. */
  const doubtful = new Set<ExecutionId>();
  /** The answer to a claim was lost. */
  let claimWasLost = false;
  let draining = false;
  /** Starts that are taken here: of these shards, while fewer than so many are under way. */
  let starts = { shards: new Set<number>(), underWayMax: 0 };
  /** Items may wait on the engine's queue, for room or since before this process came. */
  let isQueued = true;

  function take(
    executionId: ExecutionId,
    begin: {
      readonly marked: boolean;
      readonly adopt: readonly RunningItem[];
      /** As it was just committed here. */
      readonly current?: Held;
      readonly isDoubtful?: boolean;
    },
  ): ExecutionRunner {
    const present = underWay.get(executionId);
    if (present !== undefined) {
      if (begin.marked) present.noteChange();
      for (const item of begin.adopt) present.addItem(item);
      if (begin.isDoubtful) present.noteLostAnswer();
      return present;
    }
    const { marked, adopt, current, isDoubtful = false } = begin;
    const runner = new ExecutionRunner(deps, runners, {
      executionId,
      isMarked: marked,
      items: adopt,
      known: current ?? resting.take(executionId),
      isCurrent: current !== undefined,
      wasAnswerLost: isDoubtful,
    });
    underWay.set(executionId, runner);
    const unsubscribe = deps.wake.subscribe(cancelledTopic(executionId), () => runner.noteChange());
    runner.done
      .catch((error: unknown) => {
        deps.report.trouble('advancing an execution failed', error, { execution_id: executionId });
        if (error instanceof StoreUnavailableError) {
          if (runner.wasAnswerLost) doubtful.add(executionId);
          return;
        }
        setAside.delete(executionId);
        setAside.set(executionId, deps.timers.now() + SET_ASIDE_MS);
      })
      .finally(() => {
        underWay.delete(executionId);
        unsubscribe();
        resting.keep(executionId, runner.rested());
        const { isMarked, items } = runner.leftOver();
        if (draining) items.forEach((item) => void giveBack(item));
        else if (isMarked || items.length > 0)
          take(executionId, { marked: isMarked, adopt: items });
      });
    return runner;
  }

  /** The oldest come first, since each is put in anew with the same term. */
  function takeUpAgain(): void {
    for (const [executionId, until] of setAside) {
      if (until > deps.timers.now()) return;
      setAside.delete(executionId);
    }
  }

  async function advanceRunnable(params: {
    readonly shards: readonly number[];
    readonly limit: number;
  }): Promise<RoundResult> {
    if (draining || params.shards.length === 0) return NOTHING;
    // With no room for more, those under way still hear of what has happened to them.
    const room = Math.max(0, Math.min(params.limit, UNDER_WAY_MAX - underWay.size));
    const { shards } = params;
    takeUpAgain();
    const limit = room + underWay.size + setAside.size;
    const marked = await deps.store.runnable.list({ shards, limit });
    if (draining) return NOTHING;
    const fresh = marked
      .filter(({ executionId }) => !underWay.has(executionId) && !setAside.has(executionId))
      .slice(0, room);
    for (const { executionId } of marked) underWay.get(executionId)?.noteChange();
    for (const { executionId } of fresh) take(executionId, { marked: true, adopt: [] });
    return { found: fresh.length, more: fresh.length > 0 && fresh.length >= room };
  }

  /** Goes on with what an answer that was lost has leased to this process. */
  async function takeInHand(): Promise<void> {
    if (claimWasLost) {
      const leases = await deps.store.work.listHeld({
        workerId: deps.settings.processId,
        executionId: null,
      });
      const fences = new Set(ownItems().map(({ leaseFence }) => leaseFence));
      for (const { ticket, leaseFence } of leases) {
        // Some of these are on their way to a runner by now: it looks itself.
        if (!fences.has(leaseFence)) doubtful.add(ticket.executionId);
      }
      claimWasLost = false;
    }
    for (const executionId of [...doubtful].slice(0, Math.max(0, UNDER_WAY_MAX - underWay.size))) {
      doubtful.delete(executionId);
      take(executionId, { marked: false, adopt: [], isDoubtful: true });
    }
  }

  async function runQueuedNodes(params: {
    readonly shards: readonly number[];
    readonly limit: number;
  }): Promise<RoundResult> {
    if (draining || params.shards.length === 0) return NOTHING;
    const { processId, leaseMs } = deps.settings;
    await takeInHand();
    isQueued = false;
    const claiming = deps.store.work.claim({
      tenantId: null,
      queues: ['engine'],
      workerId: processId,
      leaseMs,
      ...params,
    });
    const claimed = await claiming.catch((error: unknown) => {
      isQueued = true;
      claimWasLost ||= isAmbiguous(error);
      throw error;
    });
    isQueued ||= claimed.length >= params.limit;
    const items = claimed.map(({ ticket, leaseFence }) => ({
      ticket,
      leaseFence,
      abort: new AbortController(),
    }));
    if (draining) await Promise.all(items.map(giveBack));
    else for (const item of items) take(item.ticket.executionId, { marked: false, adopt: [item] });
    return { found: claimed.length, more: claimed.length >= params.limit };
  }

  function ownItems(): RunningItem[] {
    return [...underWay.values()].flatMap((runner) => [...runner.items()]);
  }

  async function renewOwnLeases(): Promise<RoundResult> {
    const items = ownItems();
    if (items.length === 0) return NOTHING;
    const { leaseMs } = deps.settings;
    const renewed = await deps.store.work.renew(
      items.map(({ ticket, leaseFence }) => ({
        workItemId: ticket.workItemId,
        tenantId: null,
        leaseFence,
        leaseMs,
      })),
    );
    items.forEach((item, index) => {
      if ((renewed[index] ?? null) === null) item.abort.abort();
    });
    return { found: items.length, more: false };
  }

  async function drain(params: { readonly deadlineMs: number }): Promise<void> {
    draining = true;
    for (const runner of underWay.values()) runner.drain();
    const resting = Promise.allSettled([...underWay.values()].map((runner) => runner.done));
    const late = Promise.withResolvers<'late'>();
    const cancel = deps.timers.after(params.deadlineMs, () => late.resolve('late'));
    const outcome = await Promise.race([resting, late.promise]);
    cancel();
    if (outcome === 'late') await Promise.all(ownItems().map(giveBack));
    await deps.committer.idle();
  }

  /** Puts an item that could not be finished back on its queue; the attempt doesn't count. */
  async function giveBack(item: RunningItem): Promise<void> {
    item.abort.abort();
    const { ticket, leaseFence } = item;
    try {
      await deps.committer.commit({
        ...emptyCommit(ticket),
        settles: [{ workItemId: ticket.workItemId, leaseFence, onlyIfExpired: false }],
        retries: [{ ticket, delayMs: 0 }],
      });
      deps.wake.notify([queueTopic(ticket)]);
    } catch (error) {
      // Its lease lapses by itself; another process takes it then.
      deps.report.trouble('giving an item back failed', error, {
        work_item_id: ticket.workItemId,
      });
    }
  }

  const startsHere: StartsHere = {
    leaseTo(shard) {
      if (draining || !starts.shards.has(shard)) return null;
      if (isQueued || underWay.size >= starts.underWayMax) {
        isQueued = true;
        return null;
      }
      const { processId, leaseMs } = deps.settings;
      return { processId, leaseMs };
    },
    doubt: (executionId) => void doubtful.add(executionId),
    begin(held, { marked, items }) {
      if (draining) for (const item of items) void giveBack(item);
      else take(held.row.executionId, { marked, adopt: items, current: held });
    },
  };

  const scheduling: Scheduling = {
    advance: async (executionId) => {
      if (underWay.has(executionId)) underWay.get(executionId)?.noteChange();
      else await take(executionId, { marked: true, adopt: [] }).done;
    },
    advanceRunnable,
    takeStarts({ shards, underWayMax }) {
      starts = { shards: new Set(shards), underWayMax };
    },
    runQueuedNodes,
    reclaimLeases: (params) => reclaimLeases(deps, params),
    expireQueued: (params) => expireQueued(deps, params),
    fireTimers: (params) => fireTimers(deps, params),
    admitChildren: () => deps.admission.round(),
    sweepWorkflowPauses: (params) => pauseSweep.round(params),
    renewOwnLeases,
    underWay: () => underWay.size,
    drain,
  };

  return { scheduling, startsHere };
}

/** What runners need of the engine: those that start executions look up their workflows. */
function enginePorts(deps: EngineDeps): EnginePorts {
  return {
    workflows: {
      find: async (of) => {
        const found = await deps.definitions.latest(of);
        return found && { ...found.definition, stateSchema: found.plan.stateSchema };
      },
      validate: (of) => deps.cpu.validateSchema(of),
      newId: () => deps.ids.uuid(),
    },
  };
}

const NOTHING: RoundResult = { found: 0, more: false };
