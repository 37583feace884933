import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';
import type { World } from './world.ts';

/**
 * A process in the simulated world. When it dies, none of its actions happens any more. While it is
 * paused, its actions wait; then they happen as if no time had passed.
 */
export interface Process {
  readonly name: string;
  readonly timers: Timers;
  isAlive(): boolean;
  isPaused(): boolean;
  /** All its actions since then happen in their time. */
  runsSince(): number;
  die(): void;
  pause(ms: number): void;
  resume(): void;
  /** Runs the action in this process: after a pause, or never if the process is dead. */
  enter(action: () => void): void;
}

export function createProcess(params: { readonly name: string; readonly world: World }): Process {
  const { name, world } = params;
  let alive = true;
  let pausedUntil = 0;
  let runsSince = 0;

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
    runsSince: () => runsSince,
    die: () => {
      alive = false;
    },
    pause: (ms) => {
      pausedUntil = world.now() + ms;
      runsSince = Math.max(runsSince, pausedUntil);
    },
    // Waiting actions stay scheduled for the original end of the pause, which does no harm.
    resume: () => {
      pausedUntil = 0;
    },
    enter,
  };
}
