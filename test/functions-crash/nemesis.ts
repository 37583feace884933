import type { Dice } from '../simulation/dice.ts';
import type { EffectCall } from './effect.ts';
import type { Member } from './member.ts';
import type { Passage } from './proxy.ts';

/*
 * Decides which processes die, and when: at moments drawn from the seed, and at drawn calls to the
 * receiver and drawn requests to the runtime. Between two kills, a process must handle a number of
 * requests, because otherwise a slow machine would complete no work.
 */

export const FAULTS = [
  'worker killed at a random moment',
  'worker killed before an effect',
  'worker killed after an effect, before its record',
  'worker killed before a request arrives',
  'worker killed after a request was carried out',
  'worker frozen for longer than its lease',
  'runtime killed at a random moment',
  'runtime killed before an effect',
  'runtime killed after an effect',
  'runtime killed while it carries out a request',
  'runtime killed after a request was carried out',
  'request lost',
  'answer lost',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Requests between two kills, without claims and heartbeats. */
export interface Patience {
  /** Requests of a worker between two of its deaths. */
  readonly workerRequests: number;
  /** Requests of all workers between two deaths of the runtime. */
  readonly runtimeRequests: number;
}

const FREEZE_MS = 3_500;

export class Nemesis {
  readonly counts = new Map<Fault, number>(FAULTS.map((fault) => [fault, 0]));
  readonly #dice: Dice;
  readonly #victims: Dice;
  readonly #requests: ReadonlyMap<string, Dice>;
  readonly #workers: ReadonlyMap<string, Member>;
  readonly #runtime: readonly Member[];
  readonly #patience: Patience;
  /** Requests since the last strike, by the name of the worker. */
  readonly #requestsSince = new Map<string, number>();
  #runtimeRequestsSince = 0;
  #isActive = true;
  #timer: NodeJS.Timeout | null = null;

  constructor(given: {
    readonly dice: Dice;
    readonly workers: readonly Member[];
    readonly runtime: readonly Member[];
    readonly patience: Patience;
  }) {
    this.#patience = given.patience;
    this.#dice = given.dice;
    this.#victims = given.dice.fork('victims');
    this.#requests = new Map(
      given.workers.map(({ name }) => [name, given.dice.fork(`requests of ${name}`)]),
    );
    this.#workers = new Map(given.workers.map((worker) => [worker.name, worker]));
    this.#runtime = given.runtime;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  start(): void {
    const dice = this.#dice.fork('moments');
    const next = (): void => {
      this.#timer = setTimeout(
        () => {
          this.#strikeAtRandom(dice);
          if (this.#isActive) next();
        },
        dice.between(200, 1_500),
      );
    };
    next();
  }

  /** Ends all faults. */
  stop(): void {
    this.#isActive = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** The draw depends only on the call and the seed. True: the sender gets no answer. */
  strikeCall(call: EffectCall, given: { moment: 'before' | 'after'; arrival: number }): boolean {
    const { moment, arrival } = given;
    const drawn = this.#dice
      .fork(`${call.tag} ${call.phase} ${call.id} ${arrival} ${moment}`)
      .fraction();
    if (drawn < 0.05) {
      const fault =
        moment === 'before'
          ? 'worker killed before an effect'
          : 'worker killed after an effect, before its record';
      return this.#killWorker(call.worker, fault);
    }
    if (drawn < 0.07) {
      this.#killRuntime(
        moment === 'before' ? 'runtime killed before an effect' : 'runtime killed after an effect',
      );
    }
    return false;
  }

  /** Draws from the dice of this worker, whose requests come one after another. */
  choosePassage(worker: string, verb: string): Passage {
    const dice = this.#requests.get(worker) ?? this.#dice;
    const nothing = (): void => undefined;
    const drawn = dice.fraction();
    if (verb !== 'heartbeat' && verb !== 'claim') {
      this.#runtimeRequestsSince += 1;
      this.#requestsSince.set(worker, (this.#requestsSince.get(worker) ?? 0) + 1);
    }
    if (!this.#isActive || verb === 'heartbeat') return { way: 'pass', after: nothing };
    if (drawn < 0.02) {
      this.#count('request lost');
      return { way: 'drop', after: nothing };
    }
    if (drawn < 0.05) {
      this.#count('answer lost');
      return { way: 'lose', after: nothing };
    }
    if (drawn < 0.06 && this.#killWorker(worker, 'worker killed before a request arrives')) {
      return { way: 'drop', after: nothing };
    }
    if (drawn < 0.08) {
      const fault = 'worker killed after a request was carried out';
      return { way: 'lose', after: () => void this.#killWorker(worker, fault) };
    }
    if (drawn < 0.085) {
      const fault = 'runtime killed while it carries out a request';
      setTimeout(() => this.#killRuntime(fault), dice.between(0, 6));
    } else if (drawn < 0.09) {
      const fault = 'runtime killed after a request was carried out';
      return { way: 'lose', after: () => void this.#killRuntime(fault) };
    }
    return { way: 'pass', after: nothing };
  }

  #strikeAtRandom(dice: Dice): void {
    const drawn = dice.fraction();
    const { name } = dice.pick([...this.#workers.values()]);
    if (drawn < 0.15) this.#killRuntime('runtime killed at a random moment');
    else if (drawn < 0.75) this.#killWorker(name, 'worker killed at a random moment');
    else this.#freezeWorker(name);
  }

  #killWorker(name: string, fault: Fault): boolean {
    if (!this.#mayStrike(name) || this.#workers.get(name)?.kill() !== true) return false;
    this.#requestsSince.set(name, 0);
    this.#count(fault);
    return true;
  }

  #freezeWorker(name: string): void {
    if (!this.#mayStrike(name) || this.#workers.get(name)?.freeze(FREEZE_MS) !== true) return;
    this.#requestsSince.set(name, 0);
    this.#count('worker frozen for longer than its lease');
  }

  #mayStrike(name: string): boolean {
    return this.#isActive && (this.#requestsSince.get(name) ?? 0) >= this.#patience.workerRequests;
  }

  /** Kills one of the processes of the runtime. */
  #killRuntime(fault: Fault): boolean {
    if (!this.#isActive || this.#runtimeRequestsSince < this.#patience.runtimeRequests)
      return false;
    if (!this.#victims.pick(this.#runtime).kill()) return false;
    this.#runtimeRequestsSince = 0;
    this.#count(fault);
    return true;
  }

  #count(fault: Fault): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }
}
