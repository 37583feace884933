/** Wakes the loop of a turn when something has happened since its last look. */
export class News {
  #wake: (() => void) | null = null;
  #isNew = false;

  readonly tell = (): void => {
    this.#isNew = true;
    this.#wake?.();
    this.#wake = null;
  };

  /** The loop looks now. */
  clear(): void {
    this.#isNew = false;
  }

  /** Resolves at the next news; at once when there was some since the last look. */
  next(): Promise<void> {
    if (this.#isNew) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
