import type { Timers } from '../scheduling/timers.ts';

/** The wait of a loop: it ends at `wake`, or at a time limit. */
export class WakeableRest {
  readonly #timers: Timers;
  #end: (() => void) | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Ends the present wait; does nothing outside one. */
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
