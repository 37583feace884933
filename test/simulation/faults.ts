import type { Dice } from './dice.ts';

/** All faults, with their meanings. */
export const FAULTS = {
  /** The database refuses the call and carries out nothing. */
  unavailable: 'the database is starting up',
  pool_exhausted: 'no connection became free in time',
  serialization: 'rolled back, could not serialise',
  deadlock: 'rolled back, a deadlock',
  /** The call took full effect or none, and its caller doesn't know which. */
  timed_out_before: 'the answer never came; not carried out',
  timed_out_after: 'the answer never came; carried out',
  slow: 'a statement that takes long',
  crash_before: 'the process dies before its commit arrives',
  crash_after: 'the process dies after its commit, before the answer',
  crash_at_pause: 'the process dies right before or after it commits a pause, or the end of one',
  crash_at_retry: 'the process dies right before or after it commits the start of a retry or fork',
  crash_at_removal: 'the process dies right before or after retention removes a batch',
  crash_at_import: 'the process dies right before or after it commits an import',
  crash_at_archive: 'the process dies right before or after a step of writing an archive',
  archive_full: 'the disk of the archives is full',
  archive_away: 'the folder of the archives refuses a call',
  power_lost: 'all processes die, and the disk of the archives loses what was not synced',
  crash: 'the process dies at any moment',
  pause: 'the process is frozen for a while, often longer than its leases',
  clock_forward: "the database's clock is set forward",
  clock_back: "the database's clock is set back",
  request_lost: 'a request never arrives',
  request_doubled: 'a request arrives twice',
  reply_lost: 'an answer never arrives',
  reply_late: 'an answer arrives after the client has given up',
  hint_lost: 'a wake-up between processes is lost',
  receiver_away: 'the receiver of a webhook cannot be reached',
  receiver_fails: 'the receiver of a webhook answers that it failed',
  receiver_mute: 'the receiver of a webhook has the message, and its answer never arrives',
} as const;

export type FaultKind = keyof typeof FAULTS;
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Decides where faults strike; after `heal` none do, and after `resume` only the given kinds. */
export interface Faults {
  strikes(kind: FaultKind): boolean;
  heal(): void;
  resume(kinds: readonly FaultKind[]): void;
  readonly fired: ReadonlyMap<FaultKind, number>;
  /** How many faults were drawn, including the spared ones. */
  drawn(): number;
}

/** `spared`: faults that don't strike, by their index in the order of drawing, from 0. */
export function createFaults(params: {
  readonly dice: Dice;
  readonly rates: FaultRates;
  readonly spared: ReadonlySet<number>;
}): Faults {
  const { rates, spared } = params;
  // Each kind has its own dice, so that leaving one kind out doesn't change the others.
  const kinds = Object.keys(rates) as FaultKind[];
  const dice = new Map(kinds.map((kind) => [kind, params.dice.fork(kind)]));
  const fired = new Map<FaultKind, number>();
  let drawn = 0;
  let striking: ReadonlySet<FaultKind> = new Set(dice.keys());
  return {
    strikes: (kind) => {
      const rate = rates[kind] ?? 0;
      if (rate === 0 || !striking.has(kind) || !dice.get(kind)?.chance(rate)) return false;
      drawn += 1;
      if (spared.has(drawn - 1)) return false;
      fired.set(kind, (fired.get(kind) ?? 0) + 1);
      return true;
    },
    heal: () => {
      striking = new Set();
    },
    resume: (some) => {
      striking = new Set(some);
    },
    fired,
    drawn: () => drawn,
  };
}
