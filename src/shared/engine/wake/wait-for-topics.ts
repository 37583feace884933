import type { EngineDeps } from '../deps.ts';

/** A subscription that is open from now on, so that a hint between looking and waiting counts. */
export interface TopicHint {
  /**
   * True at a hint since the last wait; false when the time is over or the signal aborts; never rejects.
   */
  wait(params: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<boolean>;
  /** As if a hint had come. */
  wake(): void;
  end(): void;
}

export function waitForTopics(
  { wake, timers }: Pick<EngineDeps, 'wake' | 'timers'>,
  topics: readonly string[],
  /** Which details of these topics are of use; absent: all. */
  accepts?: (detail: string) => boolean,
): TopicHint {
  const hint = new Hint(timers);
  const onHint = () => hint.wake();
  hint.subscriptions = topics.map((topic) => wake.subscribe(topic, onHint, accepts));
  return hint;
}

/** A class, since thousands of these wait in a process. */
class Hint implements TopicHint {
  subscriptions: readonly (() => void)[] = [];
  readonly #timers: EngineDeps['timers'];
  #isHinted = false;
  /** Set while somebody waits. */
  #finish: (() => void) | null = null;

  constructor(timers: EngineDeps['timers']) {
    this.#timers = timers;
  }

  wake(): void {
    this.#isHinted = true;
    this.#finish?.();
  }

  wait(params: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<boolean> {
    const { timeoutMs, signal } = params;
    if (this.#isHinted || signal.aborted) return Promise.resolve(this.#take());
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        signal.removeEventListener('abort', finish);
        this.#finish = null;
        resolve(this.#take());
      };
      const cancel = this.#timers.after(Math.max(0, timeoutMs), finish);
      signal.addEventListener('abort', finish, { once: true });
      this.#finish = finish;
    });
  }

  #take(): boolean {
    const isHinted = this.#isHinted;
    this.#isHinted = false;
    return isHinted;
  }

  end(): void {
    for (const end of this.subscriptions) end();
  }
}
