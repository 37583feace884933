import type { Dice } from '../../simulation/dice.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { Member, MemberKind } from '../cluster/member.ts';
import type { Line } from '../proxy/line.ts';

/** A fault, and its repair. */
export interface Fault {
  readonly name: string;
  /** Its frequency relative to others; 1 by default. */
  readonly share?: number;
  /** The requirement that this machine lacks, and how to add it; null: none. */
  lacks?(cluster: ChaosCluster): string | null;
  /** Null: it has no target at the moment. */
  fire(scene: Scene): Promise<Blow | null>;
}

export interface Scene {
  readonly cluster: ChaosCluster;
  /** Random choices of this strike alone. */
  readonly dice: Dice;
  /** Whether another fault has struck this target. */
  readonly isStruck: (target: string) => boolean;
}

/** Separates several targets of one strike. */
export const TOGETHER = ', ';

export interface Blow {
  /** No other fault strikes these targets until they are healed. */
  readonly target: string;
  readonly lastsMs: number;
  /** Resolves when the fault is over early. */
  readonly over?: Promise<unknown>;
  /** Its targets are left alone for this time after its repair, so that a check can see them recover. */
  readonly calmMs?: number;
  /** Resolves, in bounded time, with a note for the report. */
  heal(): Promise<string | void>;
}

/** Only one fault at a time may strike the server. */
export const SERVER = 'postgres';

export function pickMember(scene: Scene, ...kinds: readonly MemberKind[]): Member | null {
  const free = scene.cluster
    .membersOf(...kinds)
    .filter((member) => member.isUp && !scene.isStruck(member.name));
  return free.length === 0 ? null : scene.dice.pick(free);
}

export function pickLine(scene: Scene, filter: (line: Line) => boolean = () => true): Line | null {
  const free = scene.cluster.lines.filter((line) => filter(line) && !scene.isStruck(line.name));
  return free.length === 0 ? null : scene.dice.pick(free);
}
