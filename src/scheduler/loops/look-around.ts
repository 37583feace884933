import type { WaitingWork } from '../../shared/store/scheduling.ts';
import { NOTHING } from '../loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Kinds of work that the look finds, each with the loop that does it. */
export type Sighting = 'executions' | 'engineItems' | 'overdueItems' | 'lapsedLeases' | 'timers';

/** Passes on what the look around has found. */
export interface Lookout {
  tell(sighting: Sighting): void;
  subscribe(sighting: Sighting, wake: () => void): () => void;
  /** Whether a look has found such work since the last call. If so, the loop may have woken without a hint. */
  take(sighting: Sighting): boolean;
}

export function createLookout(): Lookout {
  const listeners = new Map<Sighting, () => void>();
  const told = new Set<Sighting>();
  return {
    tell(sighting) {
      told.add(sighting);
      listeners.get(sighting)?.();
    },
    subscribe(sighting, wake) {
      listeners.set(sighting, wake);
      return () => listeners.delete(sighting);
    },
    take: (sighting) => told.delete(sighting),
  };
}

/**
 * Looks for the work of several loops in one statement, and wakes those that have some. Hints may be
 * lost, so somebody must look; because this loop does, the others may rest for a minute while all is
 * quiet.
 */
export function lookAround({ store, lookout }: LoopContext): LoopDefinition {
  return {
    name: 'look-around',
    part: 'work',
    restMs: { min: LOOK_MS, max: LOOK_MS },
    async run() {
      for (const sighting of sightingsIn(await store.runnable.lookAround())) lookout.tell(sighting);
      return NOTHING;
    },
  };
}

function sightingsIn(waiting: WaitingWork): readonly Sighting[] {
  const { executions, engineItems, overdueItems, lapsedLeases, nextDueInMs } = waiting;
  const seen: Readonly<Record<Sighting, boolean>> = {
    executions,
    engineItems,
    overdueItems,
    lapsedLeases,
    timers: nextDueInMs !== null && nextDueInMs <= SOON_MS,
  };
  return (Object.keys(seen) as Sighting[]).filter((sighting) => seen[sighting]);
}

/** The longest rest of a loop in whose place this one looks. */
export const REST_WHILE_LOOKED_MS = 60_000;
export const LOOK_MS = 9_000;
/** A timer that is due before the next look is for its loop to wait for. */
const SOON_MS = 15_000;
