import type { Timers } from '../scheduling/timers.ts';

/** The one rest of a loop: it lasts until somebody wakes the loop, or until a time limit. */
export class WakeableRest {
  readonly #timers: Timers;
  #end: (() => void) | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Ends a rest under way; does nothing outside one. */
  wake(): void {
    this.#end?.();
  }

  /** Null: without a time limit. */
  wait(timeoutMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timeoutMs === null ? null : this.#timers.after(timeoutMs, () => this.wake());
      this.#end = () => {
        cancel?.();
        this.#end = null;
        resolve();
      };
    });
  }
}
