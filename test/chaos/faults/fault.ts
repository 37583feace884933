import type { Dice } from '../../simulation/dice.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { Member, MemberKind } from '../cluster/member.ts';
import type { Line } from '../proxy/line.ts';

/** Something that goes wrong, and how it is mended. */
export interface Fault {
  readonly name: string;
  /** How often it comes each time that all others come once; 1 if not given. */
  readonly share?: number;
  /** What this machine lacks for it, and what to do about that; null: nothing. */
  lacks?(cluster: ChaosCluster): string | null;
  /** Null: there is nothing now that it could strike. */
  fire(scene: Scene): Promise<Blow | null>;
}

export interface Scene {
  readonly cluster: ChaosCluster;
  /** Of this strike alone. */
  readonly dice: Dice;
  /** Whether something else is striking this. */
  readonly isStruck: (target: string) => boolean;
}

/** Stands between several targets of one blow. */
export const TOGETHER = ', ';

export interface Blow {
  /** Nothing else strikes it, or them, until it is healed. */
  readonly target: string;
  readonly lastsMs: number;
  /** Resolves when it is over before that. */
  readonly over?: Promise<unknown>;
  /** Resolves, in bounded time, with what there is to say of it. */
  heal(): Promise<string | void>;
}

/** Nobody is to strike the server twice at a time. */
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
