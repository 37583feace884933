import { createWakeBus } from '../../src/shared/engine/wake/wake-bus.ts';
import type { RoundResult } from '../../src/shared/engine/scheduling/round-result.ts';
import type { Scheduling } from '../../src/shared/engine/scheduling/scheduling.ts';
import { SHARD_COUNT } from '../../src/shared/store/store.ts';
import type { RemoteWake, WaitingWork } from '../../src/shared/store/store.ts';
import { connectRemoteWake } from '../../src/shared/engine/wake/wake-bus.ts';
import { startScheduler } from '../../src/scheduler/scheduler.ts';
import type { SchedulerStore } from '../../src/scheduler/loops/loop-context.ts';
import { createVirtualTimers } from './virtual-timers.ts';

const NO_WORK = {
  executions: false,
  engineItems: false,
  overdueItems: false,
  lapsedLeases: false,
};
const EMPTY: RoundResult = { found: 0, more: false };

/** Schedulers, the shared part of a store as they see it, and a record of their calls. */
export function createFakeCluster() {
  const timers = createVirtualTimers();
  const locks = new Map<string, string>();
  const announced = new Map<string, number>();
  const present = new Set<string>();
  const remotes = new Map<string, (topics: readonly string[]) => void>();
  const calls: Call[] = [];
  const schedulesFired: { readonly at: number; readonly by: string }[] = [];
  const due = {
    timersAt: null as number | null,
    schedulesAt: null as number | null,
    /** The work that a look around finds, beside the timers. */
    waiting: {} as Partial<WaitingWork>,
    /** The results of sweeps: whether workflows are paused, and the number of batches to hold. */
    pauses: { are: false, batches: 0 },
    /** Whether executions wait for places, how many of which are free, and when there is a token. */
    places: { isWaiting: false, free: 0, tokenAt: null as number | null },
  };

  async function add(processId: string, options: AddOptions = {}) {
    const record = (name: string, params?: unknown) => {
      const fails = options.failing?.() ?? false;
      if (fails !== false) throw fails === true ? new Error('the database is down') : fails;
      calls.push({ at: timers.now(), by: processId, name, params });
    };
    const heldBy = () => [...locks].filter(([, by]) => by === processId).map(([lock]) => lock);
    const shardsHeld = () =>
      heldBy()
        .filter((lock) => lock.startsWith('shard:'))
        .map((lock) => Number(lock.slice('shard:'.length)));

    const store: Pick<SchedulerStore, 'shards' | 'timers' | 'runnable' | 'prune'> & {
      workers: Pick<SchedulerStore['workers'], 'announce' | 'withdraw' | 'list'>;
    } = {
      workers: {
        async announce() {
          record('announce');
          announced.set(processId, timers.now());
        },
        async withdraw({ workerId }) {
          record('withdraw');
          announced.delete(workerId);
        },
        list: async () => ({ workers: [], isExact: true }),
      },
      shards: {
        async countSchedulers() {
          record('countSchedulers');
          present.add(processId);
          return present.size;
        },
        async balance({ target }) {
          record('balance', target);
          for (const shard of shardsHeld().slice(target)) locks.delete(`shard:${shard}`);
          for (let shard = 0; shard < SHARD_COUNT && shardsHeld().length < target; shard++) {
            if (!locks.has(`shard:${shard}`)) locks.set(`shard:${shard}`, processId);
          }
          return shardsHeld();
        },
        async tryDuty(duty) {
          record('tryDuty', duty);
          if (!locks.has(duty)) locks.set(duty, processId);
          return locks.get(duty) === processId;
        },
        async releaseAll() {
          record('releaseAll');
          for (const lock of heldBy()) locks.delete(lock);
          present.delete(processId);
        },
      },
      timers: {
        listDue: async () => [],
        isDue: async () => false,
        promoteRetries: async () => [],
        discard: async () => undefined,
        async nextDueInMs() {
          record('nextDueInMs');
          return due.timersAt === null ? null : Math.max(0, due.timersAt - timers.now());
        },
      },
      runnable: {
        async lookAround() {
          record('lookAround');
          const { timersAt, waiting } = due;
          const nextDueInMs = timersAt === null ? null : Math.max(0, timersAt - timers.now());
          return { ...NO_WORK, ...waiting, nextDueInMs };
        },
      },
      async prune() {
        record('prune');
        return 0;
      },
    };

    const scheduling: Scheduling = {
      advance: async () => undefined,
      async advanceRunnable(params) {
        record('advanceRunnable', params);
        return options.onAdvance?.() ?? EMPTY;
      },
      takeStarts: () => undefined,
      async admitChildren() {
        record('admitChildren');
        const { isWaiting, free, tokenAt } = due.places;
        due.places.free = 0;
        const nextTokenMs = tokenAt === null ? null : Math.max(0, tokenAt - timers.now());
        if (nextTokenMs === 0) due.places.tokenAt = null;
        const found = free + (nextTokenMs === 0 ? 1 : 0);
        return {
          found,
          more: false,
          isWaiting,
          isPart: false,
          nextTokenMs: nextTokenMs === 0 ? null : nextTokenMs,
        };
      },
      async admitQuotaItems() {
        record('admitQuotaItems');
        return { ...EMPTY, lookInMs: null };
      },
      async runQueuedNodes(params) {
        record('runQueuedNodes', params);
        return EMPTY;
      },
      async reclaimLeases() {
        record('reclaimLeases');
        return EMPTY;
      },
      async expireQueued() {
        record('expireQueued');
        return EMPTY;
      },
      async fireTimers() {
        record('fireTimers');
        due.timersAt = null;
        return { found: 1, more: false };
      },
      async sweepWorkflowPauses() {
        record('sweepWorkflowPauses');
        const { pauses } = due;
        if (pauses.batches === 0) return { ...EMPTY, isPaused: pauses.are };
        pauses.batches -= 1;
        return { found: 256, more: pauses.batches > 0, isPaused: true };
      },
      async renewOwnLeases() {
        record('renewOwnLeases');
        return EMPTY;
      },
      underWay: () => options.underWay?.() ?? 0,
      async drain(params) {
        record('drain', params);
        await options.onDrain?.();
      },
    };

    const bus = createWakeBus();
    const remote: RemoteWake = {
      send(topics) {
        for (const [id, receive] of remotes) if (id !== processId) receive(topics);
      },
      flush: async () => undefined,
      listen: async (onTopics) => void remotes.set(processId, onTopics),
    };
    await connectRemoteWake({ bus, remote });

    const troubles: string[] = [];
    const scheduler = startScheduler({
      scheduling,
      agents: {
        async pauseSilent() {
          record('pauseSilent');
          return EMPTY;
        },
      },
      auditSealing: {
        async round() {
          record('sealAudit');
          return EMPTY;
        },
      },
      clusterWatch: {
        async round() {
          record('watchCluster');
          return EMPTY;
        },
      },
      retaining: {
        async round() {
          record('retain');
          return EMPTY;
        },
      },
      webhookDelivering: {
        async round() {
          record('deliverWebhooks');
          return EMPTY;
        },
      },
      scheduleFiring: {
        async round() {
          record('fireSchedules');
          if (due.schedulesAt === null) return { ...EMPTY, dueInMs: null };
          const dueInMs = due.schedulesAt - timers.now();
          if (dueInMs > 0) return { ...EMPTY, dueInMs };
          due.schedulesAt = null;
          schedulesFired.push({ at: timers.now(), by: processId });
          return { found: 1, more: true, dueInMs: null };
        },
      },
      store,
      wake: bus,
      timers,
      random: () => 0.5,
      trouble: (what) => void troubles.push(what),
      settings: {
        processId,
        role: 'scheduler',
        version: '1.2.3',
        host: 'test',
        leaseMs: 30_000,
        underWayMax: 256,
      },
    });
    return { scheduler, bus, troubles };
  }

  return {
    timers,
    add,
    calls,
    due,
    schedulesFired,
    /** Simulates the death of a process: its session ends, its announcement stays. */
    crash(processId: string) {
      for (const [lock, by] of locks) if (by === processId) locks.delete(lock);
      present.delete(processId);
    },
    named: (name: string, by?: string) =>
      calls.filter((call) => call.name === name && (by === undefined || call.by === by)),
  };
}

export interface Call {
  readonly at: number;
  readonly by: string;
  readonly name: string;
  readonly params: unknown;
}

export interface AddOptions {
  readonly failing?: () => boolean | Error;
  readonly onAdvance?: () => RoundResult | Promise<RoundResult>;
  readonly onDrain?: () => Promise<void>;
  readonly underWay?: () => number;
}
