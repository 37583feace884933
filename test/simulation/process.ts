import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';
import type { World } from './world.ts';

/**
 * A process as the world sees it: something that can die (nothing of it ever goes on) or be paused
 * (everything of it waits, and goes on later without having noticed).
 */
export interface Process {
  readonly name: string;
  readonly timers: Timers;
  isAlive(): boolean;
  isPaused(): boolean;
  die(): void;
  pause(ms: number): void;
  resume(): void;
  /** Lets the action happen in this process: after its pause, or never when it is dead. */
  enter(action: () => void): void;
}

export function createProcess(params: { readonly name: string; readonly world: World }): Process {
  const { name, world } = params;
  let alive = true;
  let pausedUntil = 0;

  function enter(action: () => void): void {
    if (!alive) return;
    if (pausedUntil <= world.now()) action();
    else world.after(pausedUntil - world.now(), () => enter(action));
  }

  return {
    name,
    timers: {
      now: () => world.now(),
      after(ms, action) {
        let cancelled = false;
        const cancel = world.after(ms, () => enter(() => void (cancelled || action())));
        return () => {
          cancelled = true;
          cancel();
        };
      },
    },
    isAlive: () => alive,
    isPaused: () => pausedUntil > world.now(),
    die: () => {
      alive = false;
    },
    pause: (ms) => {
      pausedUntil = world.now() + ms;
    },
    // What waits has its entry at the end of the pause already, and finds it over earlier or later.
    resume: () => {
      pausedUntil = 0;
    },
    enter,
  };
}
