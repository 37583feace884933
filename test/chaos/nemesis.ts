import { setTimeout as delay } from 'node:timers/promises';

import type { Dice } from '../simulation/dice.ts';
import type { ChaosCluster } from './cluster/cluster.ts';
import { TOGETHER, type Blow, type Fault } from './faults/fault.ts';
import type { Strike } from './types.ts';

/*
 * Strikes at times, places and in ways that the seed determines, and heals everything that it has
 * struck. It deals faults like cards: all come before any comes again, some several times. A fault
 * without a target is set aside, and comes first of the next deal. Some strike at the same time.
 */

const GAP_MS = [300, 4_000] as const;
const AT_ONCE_MAX = 3;
/** Limits one attempt to strike or to heal: more than a failover takes and the repair after it. */
const DEED_MS_MAX = 120_000;

export interface Nemesis {
  readonly strikes: readonly Strike[];
  /** Strikes or repairs that failed: defects of the run itself. */
  readonly troubles: readonly string[];
  /** Stops striking; resolves once everything is healed. */
  stop(): Promise<void>;
}

export function startNemesis(params: {
  readonly faults: readonly Fault[];
  readonly cluster: ChaosCluster;
  readonly dice: Dice;
  readonly now: () => number;
  /** The pause between two strikes, from and to. */
  readonly gapMs?: readonly [number, number];
  /** Waits, and ends early where the signal says so; for tests of their own time. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}): Nemesis {
  const { faults, cluster, dice, now, gapMs = GAP_MS, wait = waitUnlessAborted } = params;
  const strikes: Strike[] = [];
  const troubles: string[] = [];
  const struck = new Set<string>();
  const blows = new Set<Promise<void>>();
  const over = new AbortController();
  const deck: Fault[] = [];
  const aside = new Set<Fault>();
  const cards = faults.flatMap((fault) => Array<Fault>(fault.share ?? 1).fill(fault));

  function deal(): Fault | undefined {
    if (deck.length === 0) {
      deck.push(...shuffle(cards, dice), ...aside);
      aside.clear();
    }
    return deck.pop();
  }

  async function strikeAgainAndAgain(): Promise<void> {
    while (!over.signal.aborted) {
      await rest(dice.between(...gapMs));
      if (blows.size >= AT_ONCE_MAX) await Promise.race(blows);
      const fault = deal();
      if (fault === undefined || over.signal.aborted) return;
      await strike(fault);
    }
  }

  async function strike(fault: Fault): Promise<void> {
    const own = dice.fork(`strike ${strikes.length}`);
    const firedAtMs = now();
    const blow = await inTime(
      fault.fire({ cluster, dice: own, isStruck: (target) => struck.has(target) }),
    ).catch((error: unknown) => {
      troubles.push(`${fault.name} could not be fired: ${messageOf(error)}`);
      return null;
    });
    // Others strike meanwhile, because it may lack a target for minutes.
    if (blow === null) return void aside.add(fault);
    const place = strikes.push({
      fault: fault.name,
      target: blow.target,
      firedAtMs,
      healedAtMs: null,
    });
    const targets = blow.target.split(TOGETHER);
    for (const target of targets) struck.add(target);
    const healed = heal(blow, { fault: fault.name, place: place - 1 }).finally(() => {
      for (const target of targets) struck.delete(target);
      blows.delete(healed);
    });
    blows.add(healed);
  }

  async function heal(blow: Blow, of: { fault: string; place: number }): Promise<void> {
    await Promise.race([rest(blow.lastsMs), ...(blow.over === undefined ? [] : [blow.over])]);
    const strike = strikes[of.place];
    try {
      const note = await inTime(blow.heal());
      if (strike === undefined) return;
      const told = typeof note === 'string' ? { note } : {};
      strikes[of.place] = { ...strike, healedAtMs: now(), ...told };
      if (blow.calmMs !== undefined) await wait(blow.calmMs);
    } catch (error) {
      troubles.push(`${of.fault} of ${blow.target} could not be healed: ${messageOf(error)}`);
    }
  }

  function rest(ms: number): Promise<void> {
    return wait(ms, over.signal);
  }

  const striking = strikeAgainAndAgain();
  return {
    strikes,
    troubles,
    stop: async () => {
      over.abort();
      await striking;
      await Promise.all(blows);
    },
  };
}

async function waitUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

async function inTime<Result>(deed: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const tooLate = delay(DEED_MS_MAX, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not done within ${DEED_MS_MAX} ms`);
  });
  try {
    return await Promise.race([deed, tooLate]);
  } finally {
    timer.abort();
    tooLate.catch(() => undefined);
  }
}

function shuffle<Item>(items: readonly Item[], dice: Dice): readonly Item[] {
  return items
    .map((item) => ({ item, order: dice.fraction() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
