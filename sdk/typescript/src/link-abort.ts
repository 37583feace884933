/** A signal that follows others until it is unlinked. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Removes the listeners, so that signals that live long keep nothing alive. */
  unlink(): void;
}

/**
 * Gives a signal that aborts with the reason of the first of `signals` that aborts. `AbortSignal.any`
 * does the same in fewer words, but has missed aborts on a busy Node 24.
 */
export function linkAbort(signals: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const removals: (() => void)[] = [];
  const unlink = () => {
    for (const remove of removals.splice(0)) remove();
  };
  for (const signal of signals) {
    if (signal === undefined) continue;
    const follow = () => {
      unlink();
      controller.abort(signal.reason);
    };
    if (signal.aborted) {
      follow();
      break;
    }
    signal.addEventListener('abort', follow, { once: true });
    removals.push(() => signal.removeEventListener('abort', follow));
  }
  return { signal: controller.signal, unlink };
}
