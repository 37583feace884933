import type { Member } from '../cluster/member.ts';
import { pickMember, TOGETHER, type Blow, type Fault } from './fault.ts';

/** Processes that are killed, frozen, stalled, or stopped. */

const READY_MS_MAX = 20_000;
const STOP_MS_MAX = 30_000;

export async function bringBack(member: Member): Promise<string | void> {
  member.start();
  if (!(await member.waitUntilReady(READY_MS_MAX))) return 'not ready again yet';
}

const kill: Fault = {
  name: 'kill',
  fire: async (scene) => {
    const member = pickMember(scene, 'api', 'scheduler', 'worker');
    if (member === null) return null;
    member.signal('SIGKILL');
    return {
      target: member.name,
      lastsMs: scene.dice.between(0, 6_000),
      heal: () => bringBack(member),
    };
  },
};

/** Kills both of a kind, so that none is left to take over. */
const killAll: Fault = {
  name: 'kill-both-schedulers',
  fire: async (scene) => {
    const members = scene.cluster.membersOf('scheduler');
    if (members.some(({ name }) => scene.isStruck(name))) return null;
    for (const member of members) member.signal('SIGKILL');
    return {
      target: members.map(({ name }) => name).join(TOGETHER),
      lastsMs: scene.dice.between(0, 4_000),
      heal: async () => (await Promise.all(members.map(bringBack))).find((note) => note),
    };
  },
};

const terminate: Fault = {
  name: 'terminate',
  fire: async (scene) => {
    const member = pickMember(scene, 'api', 'scheduler', 'worker');
    if (member === null) return null;
    member.signal('SIGTERM');
    return {
      target: member.name,
      lastsMs: STOP_MS_MAX,
      over: member.ended(),
      heal: async () => {
        // A rolling restart kills a process that does not stop.
        const goes = !member.isRunning;
        if (!goes) {
          member.signal('SIGKILL');
          await member.ended();
        }
        return (await bringBack(member)) ?? (goes ? undefined : 'killed: it had not gone in time');
      },
    };
  },
};

/** Freezes for longer than any lease: others have taken over before the process continues. */
const freeze: Fault = {
  name: 'freeze',
  fire: async (scene) => {
    const member = pickMember(scene, 'api', 'scheduler', 'worker');
    if (member === null) return null;
    member.signal('SIGSTOP');
    return {
      target: member.name,
      lastsMs: scene.dice.between(4_500, 12_000),
      heal: async () => void member.signal('SIGCONT'),
    };
  },
};

const stall: Fault = {
  name: 'stall',
  fire: async (scene) => {
    const member = pickMember(scene, 'api', 'scheduler', 'worker');
    if (member === null) return null;
    const stallMs = scene.dice.between(1_000, 8_000);
    member.order({ stallMs });
    return { target: member.name, lastsMs: stallMs, heal: async () => member.relieve() };
  },
};

const CLOCK_JUMPS_S = [-86_400, -3_600, -60, -5, 5, 60, 3_600, 86_400];

/** Jumps twice, so that the second jump starts from a wrong clock. */
const setClock: Fault = {
  name: 'clock-jump',
  lacks: ({ clocks }) =>
    clocks.changeable.length > 0 ? null : 'libfaketime is missing: install the package faketime',
  fire: async (scene) => {
    const { cluster, dice } = scene;
    const { clocks } = cluster;
    const free = clocks.changeable.filter((name) => !scene.isStruck(`${name}'s clock`));
    if (free.length === 0) return null;
    const name = dice.pick(free);
    const jumps = [dice.pick(CLOCK_JUMPS_S), dice.pick(CLOCK_JUMPS_S)] as const;
    const lastsMs = dice.between(4_000, 10_000);
    clocks.set(name, jumps[0]);
    const again = setTimeout(() => clocks.set(name, jumps[1]), lastsMs / 2);
    const blow: Blow = {
      target: `${name}'s clock`,
      lastsMs,
      heal: async () => {
        clearTimeout(again);
        clocks.set(name, 0);
        return `${jumps.join(' s, ')} s`;
      },
    };
    return blow;
  },
};

export const PROCESS_FAULTS: readonly Fault[] = [kill, killAll, terminate, freeze, stall, setClock];
