import type { EngineDeps } from '../deps.ts';

/** A subscription that is open from now on, so that a hint between looking and waiting counts. */
export interface TopicHint {
  /** True at a hint; false when the time is over or the signal aborts; never rejects. */
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
  let hinted = false;
  let release: (() => void) | null = null;
  const onHint = (): void => {
    hinted = true;
    release?.();
  };
  const unsubscribe = topics.map((topic) => wake.subscribe(topic, onHint, accepts));
  return {
    wake: onHint,
    wait: ({ timeoutMs, signal }) => {
      if (hinted || signal.aborted) return Promise.resolve(hinted);
      return new Promise((resolve) => {
        const finish = (): void => {
          cancel();
          signal.removeEventListener('abort', finish);
          release = null;
          resolve(hinted);
        };
        const cancel = timers.after(Math.max(0, timeoutMs), finish);
        signal.addEventListener('abort', finish, { once: true });
        release = finish;
      });
    },
    end: () => {
      for (const end of unsubscribe) end();
    },
  };
}
