import type { ArchiveDisk } from './archive-disk.ts';
import type { Cluster } from './cluster.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { World } from './world.ts';

/** Faults of processes and clocks that occur over time, not at a call. */
export function unleashNemesis(params: {
  readonly world: World;
  readonly cluster: Cluster;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly disk: ArchiveDisk;
  readonly leaseMs: number;
  readonly moveClock: (ms: number) => void;
}): void {
  const { world, cluster, disk, faults, dice, leaseMs, moveClock } = params;
  const ofDisk = dice.fork('disk');

  function moveOn(): void {
    const member = dice.pick(cluster.members());
    if (faults.strikes('crash')) cluster.crash(member);
    if (faults.strikes('power_lost')) {
      world.note('the power is lost');
      for (const one of cluster.members()) cluster.crash(one);
      disk.losePower(ofDisk);
    }
    if (faults.strikes('pause')) {
      const ms = dice.fraction() * leaseMs * 3;
      world.note(`${member.process.name} is paused for ${ms.toFixed(0)} ms`);
      member.process.pause(ms);
    }
    if (faults.strikes('clock_forward')) moveClock(dice.between(1, leaseMs * 2));
    if (faults.strikes('clock_back')) moveClock(-dice.between(1, leaseMs * 2));
    world.after(EVERY_MS * (0.5 + dice.fraction()), moveOn);
  }

  world.after(EVERY_MS * dice.fraction(), moveOn);
}

const EVERY_MS = 100;
