import type { EnginePorts } from '../../nodes/ports.ts';
import type { NodeRunners } from '../../nodes/run.ts';
import type { StartsHere } from '../advance/starts-here.ts';
import type { EngineDeps } from '../deps.ts';
import { EngineQueue } from './engine-queue.ts';
import { expireQueued } from './expire-queued.ts';
import { closeBatch } from '../flow/close-batch.ts';
import { cancelSurplus } from '../flow/cancel-surplus.ts';
import { fireTimers } from './fire-timers.ts';
import { giveBackItem } from './give-back-item.ts';
import { createLocalStarts } from './local-starts.ts';
import { reclaimLeases } from './reclaim-leases.ts';
import { Room } from './room.ts';
import type { RoundResult } from './round-result.ts';
import { RunnerPool } from './runner-pool.ts';
import type { Scheduling, ShardRound } from './scheduling.ts';
import { createPauseSweep } from './sweep-workflow-pauses.ts';

export function createScheduling(
  deps: EngineDeps,
  runnersOf: (ports: EnginePorts) => NodeRunners,
): { readonly scheduling: Scheduling; readonly startsHere: StartsHere } {
  const room = new Room();
  const queue = new EngineQueue(deps, room);
  const pool = new RunnerPool(deps, runnersOf(enginePorts(deps)), room);
  const starts = createLocalStarts(deps, { pool, room });
  const pauseSweep = createPauseSweep(deps);
  const scheduling: Scheduling = {
    advance: async (executionId) => {
      if (pool.has(executionId)) pool.noteChange(executionId);
      else await pool.advance(executionId, { isMarked: true, items: [] }).done;
    },
    advanceRunnable: (round) => advanceRunnable(deps, pool, round),
    takeStarts: ({ shards, underWayMax }) => {
      starts.take(shards);
      room.limitItems(underWayMax);
    },
    runQueuedNodes: (round) => runQueuedNodes(deps, { pool, queue }, round),
    reclaimLeases: (params) => reclaimLeases(deps, params),
    expireQueued: (params) => expireQueued(deps, params),
    fireTimers: (params) => fireTimers(deps, params),
    admitChildren: () =>
      deps.admission.round({
        cancelSurplus: (surplus) => cancelSurplus(deps, surplus),
        closeBatch: (line) => closeBatch(deps, line),
      }),
    admitQuotaItems: () => deps.quotaAdmission.round(),
    sweepWorkflowPauses: (params) => pauseSweep.round(params),
    renewOwnLeases: () => renewOwnLeases(deps, pool),
    underWay: () => pool.size,
    drain: (params) => pool.drain(params),
  };
  return { scheduling, startsHere: starts };
}

async function advanceRunnable(
  deps: EngineDeps,
  pool: RunnerPool,
  { shards, limit }: ShardRound,
): Promise<RoundResult> {
  if (pool.isDraining || shards.length === 0) return NOTHING;
  // With no room for more, those under way still learn of what has happened to them.
  const room = Math.min(limit, pool.roomLeft);
  pool.endBackoffs();
  const marked = await deps.store.runnable.list({ shards, limit: room + pool.knownMarks });
  if (pool.isDraining) return NOTHING;
  const fresh = marked
    .filter(({ executionId }) => !pool.has(executionId) && !pool.isBackingOff(executionId))
    .slice(0, room);
  for (const { executionId } of marked) pool.noteChange(executionId);
  for (const { executionId } of fresh) pool.advance(executionId, { isMarked: true, items: [] });
  return { found: fresh.length, more: fresh.length > 0 && fresh.length >= room };
}

async function runQueuedNodes(
  deps: EngineDeps,
  { pool, queue }: { readonly pool: RunnerPool; readonly queue: EngineQueue },
  round: ShardRound,
): Promise<RoundResult> {
  if (pool.isDraining || round.shards.length === 0) return NOTHING;
  const lost = await queue.recoverLostClaim(() => pool.items());
  for (const executionId of lost) pool.noteLostAnswer(executionId);
  pool.recoverLostAnswers();
  const items = await queue.claim(round, () => pool.countItems());
  if (pool.isDraining) await Promise.all(items.map((item) => giveBackItem(deps, item)));
  else {
    for (const item of items) {
      pool.advance(item.ticket.executionId, { isMarked: false, items: [item] });
    }
  }
  return { found: items.length, more: items.length >= round.limit };
}

/** A lease that is lost aborts its run. */
async function renewOwnLeases(deps: EngineDeps, pool: RunnerPool): Promise<RoundResult> {
  const items = pool.items();
  if (items.length === 0) return NOTHING;
  const { leaseMs } = deps.settings;
  const renewed = await deps.store.work.renew(
    items.map(({ ticket, leaseFence }) => ({
      workItemId: ticket.workItemId,
      executionId: ticket.executionId,
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

/** The engine's ports for runners: those that start executions look up their workflows. */
function enginePorts(deps: EngineDeps): EnginePorts {
  return {
    workflows: {
      find: async (of) => {
        const found = await deps.definitions.latest(of);
        if (found === null) return null;
        const { stateSchema, executionLabels } = found.plan;
        return { ...found.definition, stateSchema, executionLabels };
      },
      validate: (of) => deps.cpu.validateSchema(of),
      newId: () => deps.ids.uuid(),
    },
  };
}

const NOTHING: RoundResult = { found: 0, more: false };
