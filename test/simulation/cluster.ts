import { archiveTo } from '../../src/runtime/archive-to.ts';
import { composeRuntime } from '../../src/runtime/compose.ts';
import type { ProcessRole } from '../../src/shared/config/listeners.ts';
import { createIds } from '../../src/shared/clients/system-ids.ts';
import { callsOf, type EngineCalls } from '../support/engine-calls.ts';
import { createWakeBus, type WakeBus } from '../../src/shared/engine/wake/wake-bus.ts';
import { createRunners } from '../../src/shared/nodes/create-runners.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import { subgraphKind } from '../../src/shared/nodes/subgraph/kind.ts';
import { effectKind } from './workflows.ts';
import type { ArchiveDisk } from './archive-disk.ts';
import { createArchiveLine, type FailedArchive } from './archive-line.ts';
import { EPOCH_MS, KINDS, NO_POOL, type SimulatedDatabase } from './database.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { createProcess, type Process } from './process.ts';
import { createRemoval, type Removal } from './removal.ts';
import { OPEN_BOX, type Receiver } from './receiver.ts';
import type { Recorder } from './recorder.ts';
import { createSharedLocks } from './shared-locks.ts';
import { restingOf, type Sides } from './side-work.ts';
import { createStoreLine, storeOverLine } from './store-line.ts';
import type { Waits, WatchWait } from './waits.ts';
import type { World } from './world.ts';

/** A process of the service: the real engine and loops, on simulated time and lines. */
export interface Member {
  readonly role: ProcessRole;
  readonly process: Process;
  readonly engine: Served;
}

/** The calls that endpoints make. */
export type Served = EngineCalls & { readonly retain: Removal; readonly watchWait: WatchWait };

export interface Cluster {
  /** Processes that can answer a request at this moment. */
  servers(): readonly Member[];
  members(): readonly Member[];
  crash(member: Member): void;
  /** Restarts dead processes and resumes paused ones. */
  heal(): void;
  /** The operations on archives that failed. */
  readonly failedArchives: readonly FailedArchive[];
}

/** The folder of archives. */
export const ARCHIVES = '/archive';

const DOWN_MS_MAX = 400;
const DAY_MS = 86_400_000;
const KEPT_FOR_GOOD = { completed: null, failed: null, cancelled: null };

export function startCluster(params: {
  readonly world: World;
  readonly database: SimulatedDatabase;
  readonly dice: Dice;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly roles: readonly ProcessRole[];
  readonly leaseMs: number;
  readonly underWayMax: number;
  readonly sides: Sides;
  readonly receiver: Receiver;
  readonly waits: Waits;
  readonly disk: ArchiveDisk;
}): Cluster {
  const { world, database, dice, faults, recorder, roles, leaseMs, sides, receiver, waits } =
    params;
  const { underWayMax } = params;
  const failedArchives: FailedArchive[] = [];
  const locks = createSharedLocks();
  const buses = new Map<Process, WakeBus>();
  const slots: { member: Member; boots: number }[] = [];
  let healed = false;

  function boot(slot: number, boots: number): Member {
    const role = roles[slot] ?? 'all';
    const name = `${role}${slot}.${boots}`;
    const own = dice.fork(name);
    const process = createProcess({ name, world });
    const onCrash = (): void => {
      const present = slots[slot]?.member;
      if (present?.process === process) crash(present);
    };
    const line = createStoreLine({
      world,
      process,
      dice: own.fork('line'),
      faults,
      onCrash,
      onCall: () => recorder.count('store calls'),
    });
    const wake = createWakeBus();
    buses.set(process, wake);
    const store = storeOverLine(database.openProcess(), line, {
      shards: locks.of(process, line),
      wake: { send: () => {}, flush: async () => {}, listen: async () => {} },
    });
    wake.forwardTo((topics) => sendHints(process, topics));
    const files = createArchiveLine({
      world,
      disk: params.disk,
      process,
      dice: own.fork('archives'),
      faults,
      onCrash,
      onFailure: (failed) => void failedArchives.push(failed),
    });
    const archive = sides.archives ? { archive: archiveTo(ARCHIVES, store, files) } : {};
    const report = recorder.reportOf(name);
    const ids = createIds({
      now: () => Math.floor(EPOCH_MS + world.now()),
      randomBytes: own.bytes,
    });
    const effect = createEffectRunner({ process, dice: own.fork('effects'), recorder });
    const { engine, startScheduler } = composeRuntime({
      store,
      ids,
      wake,
      cpu: NO_POOL,
      timers: process.timers,
      settings: {
        leaseMs,
        processId: name,
        version: '0.0.0',
        descendantsMax: 20_000,
        inputBytesMax: 4_194_304,
        host: 'simulation',
      },
      report,
      kinds: KINDS,
      randomBytes: own.bytes,
      compile: database.compile,
      runners: (ports) =>
        new Map([...createRunners([subgraphKind], ports), ...createRunners([effectKind], effect)]),
    });
    if (role !== 'api') {
      startScheduler({
        role,
        underWayMax,
        defaultTier: 'free',
        agents: { store: store.agents, settings: { heartbeatTimeoutMs: 60_000 } },
        webhooks: {
          http: receiver.httpOf(process),
          secrets: OPEN_BOX,
          random: own.fork('sides').fraction,
        },
        retention: {
          defaults: sides.keptDays ?? KEPT_FOR_GOOD,
          replayMs: null,
          unusedArtifactMs: DAY_MS,
          ...archive,
        },
        resting: restingOf(sides),
        random: own.fork('rests').fraction,
        report,
      });
    }
    world.note(`${name} is up`);
    const { timers } = process;
    const retain = createRemoval({ store, ids, timers, keptDays: sides.keptDays, archive });
    return {
      role,
      process,
      engine: { ...callsOf(engine), retain, watchWait: waits.watch(process) },
    };
  }

  function sendHints(from: Process, topics: readonly string[]): void {
    for (const { member } of slots) {
      if (member.process === from || faults.strikes('hint_lost')) continue;
      world.after(1 + dice.fraction() * 10, () =>
        member.process.enter(() => buses.get(member.process)?.deliver(topics)),
      );
    }
  }

  function crash(member: Member): void {
    const index = slots.findIndex((slot) => slot.member === member);
    const slot = slots[index];
    if (slot === undefined || !member.process.isAlive()) return;
    world.note(`${member.process.name} dies`);
    member.process.die();
    buses.delete(member.process);
    world.after(healed ? 0 : dice.between(10, DOWN_MS_MAX), () => bootAgain(index, member));
  }

  function bootAgain(index: number, dead: Member): void {
    const slot = slots[index];
    if (slot === undefined || slot.member !== dead) return;
    slot.boots += 1;
    slot.member = boot(index, slot.boots);
  }

  roles.forEach((_, slot) => slots.push({ member: boot(slot, 0), boots: 0 }));
  const members = (): Member[] => slots.map(({ member }) => member);
  return {
    members,
    servers: () =>
      members().filter(({ role, process }) => role !== 'scheduler' && process.isAlive()),
    crash,
    failedArchives,
    heal: () => {
      healed = true;
      slots.forEach(({ member }, index) => {
        if (!member.process.isAlive()) bootAgain(index, member);
        member.process.resume();
      });
    },
  };
}

/** A run takes a moment, and sometimes fails. An effect may occur any number of times. */
function createEffectRunner(params: {
  readonly process: Process;
  readonly dice: Dice;
  readonly recorder: Recorder;
}): NodeRunner {
  const { process, dice, recorder } = params;
  return {
    run: async ({ executionId, nodeId, attempt, idempotencyKey }) => {
      recorder.count('effects');
      await new Promise<void>((resolve) => {
        process.timers.after(dice.fraction() * 20, resolve);
      });
      if (dice.chance(0.1)) return { ok: false, error: 'it broke', errorClass: 'error' };
      const token = `${executionId}/${nodeId}/${attempt}`;
      return { ok: true, output: { token, key: idempotencyKey }, statePatch: {} };
    },
  };
}
